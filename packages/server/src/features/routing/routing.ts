import { setTimeout as sleep } from 'node:timers/promises'
import { type Edge, type EdgeApp, type EdgeRoutes, type EdgeTarget, EdgeUnavailable } from '../../edge/edge.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { EngineError, EngineUnreachable } from '../../engine/errors.ts'
import { idFrom, LABEL, projectNetworkName } from '../../engine/labels.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Reader } from '../../store/database.ts'
import type { Tuning } from '../../tuning.ts'
import type { Routes } from '../deployments/pipeline.ts'
import type { Target } from '../deployments/release.ts'
import { waitUntilQuiet } from './quiet.ts'
import { createReleasePorts } from './release-ports.ts'
import { pageOf, strayTargets, targetsOf } from './routed-release.ts'
import { createSettle } from './settle.ts'
import { type RoutedApp, routedApps, routedDomains } from './store.ts'
import { createTurns } from './turns.ts'

type Deps = {
  db: Reader
  engine: Pick<Engine, 'containers'>
  edge: Edge
  instance: string
  dashboard: () => Promise<EdgeRoutes['dashboard']>
  /** The port a release was started with: the app's own may have been changed since. */
  portOf: (appId: number, sealedConfig: string) => number | null
  tuning: Pick<Tuning, 'drainMs'>
  log: Logger
}

const RETRY_MS = 250
/** An engine that is busy removing a container may refuse to list the others; it is asked again soon, and after that as usual. */
const AGAIN_MS = 1000
const MOST_AGAIN = 5

export function appKey(appId: number): string {
  return `app-${appId}`
}

/** Decides who is routed where: the database says what is live, the engine says at which address. */
export function createRouting(deps: Deps): Routes & { sync(): Promise<boolean>; syncSoon(): void; settle(): Promise<void> } {
  const { db, edge, log } = deps
  const { drainMs } = deps.tuning
  const look = createLook(deps)
  const { switched } = look
  const retiring = new Map<number, EdgeTarget[]>()
  let failures = 0
  /** One look at a time: of two at once the older could be told to the edge last. Calls during one share the next. */
  const sync = createTurns(syncNow)

  /** False when it could not be put in place now. It stays wanted: the edge goes on trying, and so does the next look. */
  async function syncNow(): Promise<boolean> {
    try {
      const routes = await look.wanted()
      failures = 0
      await edge.setRoutes(routes)
      return true
    } catch (err) {
      if (err instanceof EdgeUnavailable) return false
      if (!(err instanceof EngineUnreachable) && !(err instanceof EngineError)) throw err
      log.debug({ err }, 'routes wait for the engine')
      lookAgain()
      return false
    }
  }

  function lookAgain(): void {
    failures += 1
    if (failures <= MOST_AGAIN) setTimeout(syncSoon, AGAIN_MS).unref()
  }

  /** Many changes in a moment are one look. */
  function syncSoon(): void {
    sync().catch((err: unknown) => log.warn({ err }, 'routes were not synchronised'))
  }

  async function switchTo(appId: number, target: Target): Promise<void> {
    const app = (await routedApps(db)).find((candidate) => candidate.id === appId)
    if (app) retiring.set(appId, look.targets(app, await look.containers(appId)))
    switched.set(appId, target)
    await sync()
  }

  async function restore(appId: number): Promise<void> {
    switched.delete(appId)
    retiring.delete(appId)
    await sync()
  }

  async function drain(appId: number, signal: AbortSignal): Promise<void> {
    const old = retiring.get(appId) ?? []
    const giveUpAt = performance.now() + drainMs
    switched.delete(appId) // the database knows by now
    retiring.delete(appId)
    // an edge that has not heard of the switch still sends visitors to what is about to go
    while (!(await sync()) && performance.now() < giveUpAt) await sleep(RETRY_MS, undefined, { signal })
    if (old.length > 0) await waitUntilQuiet(async () => await edge.inFlight(old), { limitMs: giveUpAt - performance.now(), signal })
  }

  return { switchTo, restore, drain, sync, syncSoon, settle: createSettle({ strays: look.strays, sync, edge, drainMs, log }) }
}

export type Routing = ReturnType<typeof createRouting>

/** What the database and the engine say at this moment. */
function createLook(deps: Pick<Deps, 'db' | 'engine' | 'instance' | 'dashboard' | 'portOf'>) {
  const { db, instance } = deps
  const ports = createReleasePorts(deps.portOf)
  /** Releases that are being put in place: the only routes that the database does not know yet. */
  const switched = new Map<number, Target>()

  async function containers(appId?: number): Promise<ContainerSummary[]> {
    const ofApp = appId === undefined ? {} : { [LABEL.app]: String(appId) }
    return await deps.engine.containers.list({ labels: { [LABEL.instance]: instance, ...ofApp } })
  }

  function targets(app: RoutedApp, own: readonly ContainerSummary[]): EdgeTarget[] {
    const network = projectNetworkName(instance, app.projectId)
    return targetsOf(app, { containers: own, network, port: ports.of(app), ahead: switched.get(app.id) })
  }

  async function wanted(): Promise<EdgeRoutes> {
    const found = await containers()
    const [apps, domains, dashboard] = await Promise.all([routedApps(db), routedDomains(db), deps.dashboard()])
    const containersOf = Map.groupBy(found, (container) => idFrom(container.labels, 'app'))
    const domainsOf = Map.groupBy(domains, (domain) => domain.appId)
    const routed: EdgeApp[] = apps.map((app) => {
      const goTo = targets(app, containersOf.get(app.id) ?? [])
      const hosts = (domainsOf.get(app.id) ?? []).map(({ host, redirectHttps, hsts }) => ({ host, redirectHttps, hsts }))
      return { appKey: appKey(app.id), hosts, targets: goTo, ...(goTo.length === 0 && { page: pageOf(app) }) }
    })
    return { apps: routed, ...(dashboard && { dashboard }) }
  }

  async function strays(): Promise<EdgeTarget[]> {
    const [found, apps] = await Promise.all([containers(), routedApps(db)])
    return apps.flatMap((app) => {
      const own = found.filter((container) => idFrom(container.labels, 'app') === app.id)
      const network = projectNetworkName(instance, app.projectId)
      return strayTargets(app, { containers: own, network, ports: new Set([app.port, ports.of(app)]) })
    })
  }

  return { switched, containers, targets, wanted, strays }
}
