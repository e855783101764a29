import { appKey } from '../domain/app-key.ts'
import type { EdgeApp, EdgeRoutes, EdgeTarget } from '../edge/edge.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import { ownedBy, projectNetworkName } from '../engine/labels.ts'
import type { Target } from '../features/deployments/release/release.ts'
import type { Reader } from '../store/database.ts'
import { createReleasePorts } from './release-ports.ts'
import { pageOf, strayTargets, targetsOf } from './routed-release.ts'
import { type RoutedApp, routedApps, routedDomains, sealedConfigOf } from './store.ts'

export type LookDeps = {
  db: Reader
  engine: Pick<Engine, 'containers'>
  instance: string
  dashboard: () => Promise<EdgeRoutes['dashboard']>
  /** The port a release was started with: the app's own may have been changed since. */
  portOf: (appId: number, sealedConfig: string) => number | null
}

/** What the database and the engine say at this moment. */
export function createWantedRoutes(deps: LookDeps) {
  const { db, instance } = deps
  const ports = createReleasePorts({ portOf: deps.portOf, sealedConfigOf: async (id) => await sealedConfigOf(db, id) })
  /** Releases that are being put in place: the only routes that the database does not know yet. */
  const switched = new Map<number, Target>()
  let releases = new Map<number, ReturnType<typeof targetsOf>>()

  async function containers(of: { appId?: number } = {}): Promise<ContainerSummary[]> {
    return await deps.engine.containers.list({ labels: ownedBy({ instance, ...of }) })
  }

  function targets(app: RoutedApp, own: readonly ContainerSummary[]): ReturnType<typeof targetsOf> {
    const network = projectNetworkName(instance, app.projectId)
    return targetsOf(app, { containers: own, network, port: ports.of(app), ahead: switched.get(app.id) })
  }

  /** Where the visitors of one app go, asked of the engine now. */
  async function targetsNow(appId: number): Promise<EdgeTarget[]> {
    const app = (await routedApps(db)).find((candidate) => candidate.id === appId)
    if (app !== undefined) await ports.learn([app])
    return app === undefined ? [] : targets(app, await containers({ appId })).targets
  }

  /** Asks the engine where everything is. */
  async function refresh(): Promise<void> {
    const found = await containers()
    const containersOf = Map.groupBy(found, ({ owner }) => owner.appId)
    const apps = await routedApps(db)
    await ports.learn(apps)
    releases = new Map(apps.map((app) => [app.id, targets(app, containersOf.get(app.id) ?? [])]))
  }

  /** Whether there was a release to fall back to, which is routed from now on. */
  function fallBack(appId: number): boolean {
    const { fallback = [] } = releases.get(appId) ?? {}
    if (fallback.length > 0) releases.set(appId, { targets: fallback, fallback: [] })
    return fallback.length > 0
  }

  /** As the database says it now, with the addresses that were found last. */
  async function wanted(): Promise<EdgeRoutes> {
    const [apps, domains, dashboard] = await Promise.all([routedApps(db), routedDomains(db), deps.dashboard()])
    const domainsOf = Map.groupBy(domains, (domain) => domain.appId)
    const routed: EdgeApp[] = apps.map((app) => {
      const goTo = releases.get(app.id) ?? { targets: [], fallback: [] }
      const hosts = (domainsOf.get(app.id) ?? []).map(({ host, redirectHttps, hsts }) => ({ host, redirectHttps, hsts }))
      return { appKey: appKey(app.id), hosts, ...goTo, ...(goTo.targets.length === 0 && { page: pageOf(app) }) }
    })
    return { apps: routed, ...(dashboard && { dashboard }) }
  }

  async function strays(): Promise<EdgeTarget[]> {
    const [found, apps] = await Promise.all([containers(), routedApps(db)])
    await ports.learn(apps)
    return apps.flatMap((app) => {
      const own = found.filter(({ owner }) => owner.appId === app.id)
      const network = projectNetworkName(instance, app.projectId)
      return strayTargets(app, { containers: own, network, ports: new Set([app.port, ports.of(app)]) })
    })
  }

  return { switched, targetsNow, refresh, fallBack, wanted, strays }
}

export type Look = ReturnType<typeof createWantedRoutes>
