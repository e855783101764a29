import { appKey, type EdgeApp, type EdgeRoutes, type EdgeTarget } from '../edge/edge.ts'
import { projectNetworkName } from '../engine/labels.ts'
import type { Target } from '../features/deployments/release/release.ts'
import type { Reader } from '../store/database.ts'
import { createContainerLooks, type LookDeps } from './container-looks.ts'
import { type Door, doorKey, doorsIn } from './doors.ts'
import { createReleasePorts } from './release-ports.ts'
import { aheadTarget, pageOf, strayTargets, targetsOf } from './routed-release.ts'
import { createRoutedRows, type RoutedRows } from './routed-rows.ts'
import { type RoutedApp, routedApp, routedApps, routedDomains, sealedConfigOf } from './store.ts'

type Deps = LookDeps & {
  db: Reader
  dashboard: () => EdgeRoutes['dashboard']
  /** The port a release was started with: the app's own may have been changed since. */
  portOf: (appId: number, sealedConfig: string) => number | null
}

/** What the edge should serve: which release is live and its host names come from the database, its addresses from the engine. */
export function createWantedRoutes(deps: Deps) {
  const { db, instance } = deps
  const ports = createReleasePorts({ portOf: deps.portOf, sealedConfigOf: (id) => sealedConfigOf(db, id) })
  const looks = createContainerLooks(deps)
  const rows = createRoutedRows(deps)
  const switches = createSwitches(rows)

  function releaseOf(app: RoutedApp, door: Door): ReturnType<typeof targetsOf> {
    const network = projectNetworkName(instance, app.projectId)
    return targetsOf(app, { containers: looks.of(app.id), network, port: ports.of(app), ahead: switches.aheadOf(app.id) }, door)
  }

  /** Called by the edge at the beginning of each pass. Undefined until all containers have been listed once. */
  async function read(): Promise<EdgeRoutes | undefined> {
    if (!looks.hasSeenAll()) return undefined
    await rows.refresh()
    await ports.learn(rows.apps())
    const routeTo = (app: RoutedApp, door: Door): EdgeApp => {
      const release = releaseOf(app, door)
      const page = release.targets.length === 0 && { page: pageOf(app) }
      return { appKey: doorKey(appKey(app.id), door), hosts: door.hosts, ...release, ...page }
    }
    const apps = rows.apps().flatMap((app) => rows.doorsOf(app.id).map((door) => routeTo(app, door)))
    const dashboard = rows.dashboard()
    return { apps, ...(dashboard && { dashboard }) }
  }

  /** Lists the containers of one app and returns the targets of each of its doors: the edge counts requests by such a set. */
  async function lookAt(appId: number): Promise<EdgeTarget[][]> {
    await looks.lookAt(appId)
    rows.markStale(appId)
    const app = await routedApp(db, appId)
    if (app === undefined) return []
    await ports.learn([app])
    const sets = doorsIn(await routedDomains(db, appId)).map((door) => releaseOf(app, door).targets)
    return sets.filter((targets) => targets.length > 0)
  }

  async function lookAtAll(): Promise<void> {
    await looks.lookAtAll()
    rows.markStale()
  }

  /** Releases that are running but not live. */
  async function strays(): Promise<EdgeTarget[]> {
    await lookAtAll()
    const [apps, domains] = await Promise.all([routedApps(db), routedDomains(db)])
    await ports.learn(apps)
    const doorPorts = Map.groupBy(domains, ({ appId }) => appId)
    return apps.flatMap((app) => {
      const network = projectNetworkName(instance, app.projectId)
      const known = new Set([app.port, ports.of(app), ...(doorPorts.get(app.id) ?? []).map(({ port }) => port)])
      return strayTargets(app, { containers: looks.of(app.id), network, ports: known })
    })
  }

  return {
    read,
    lookAt,
    lookAtAll,
    isKnown: looks.hasSeenAll,
    /** Call after a change in the database that does not involve the engine. */
    markStale: () => rows.markStale(),
    aheadOf: switches.aheadOf,
    aheadTargets: switches.aheadTargets,
    switchTo: switches.switchTo,
    endSwitch: switches.endSwitch,
    strays,
  }
}

export type WantedRoutes = ReturnType<typeof createWantedRoutes>

/** Releases that are being rolled out: the only routes that are not in the database yet. */
function createSwitches({ markStale, doorsOf }: Pick<RoutedRows, 'markStale' | 'doorsOf'>) {
  const ahead = new Map<number, Target>()

  function switchTo(appId: number, target: Target): void {
    ahead.set(appId, target)
    markStale(appId)
  }

  /** From now on the app is routed according to the database. */
  function endSwitch(appId: number): void {
    ahead.delete(appId)
    markStale(appId)
  }

  /** The targets of a release that is being rolled out, for each door. */
  function aheadTargets(appId: number): EdgeTarget[][] {
    return doorsOf(appId).flatMap((door) => {
      const target = aheadTarget(ahead.get(appId), door)
      return target === undefined ? [] : [[target]]
    })
  }

  return { aheadTargets, aheadOf: (appId: number) => ahead.get(appId), switchTo, endSwitch }
}
