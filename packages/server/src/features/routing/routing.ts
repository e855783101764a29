import { setTimeout as sleep } from 'node:timers/promises'
import { type Edge, type EdgeApp, type EdgeHostName, type EdgeRoutes, type EdgeTarget, EdgeUnavailable } from '../../edge/edge.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { EngineUnreachable } from '../../engine/errors.ts'
import { idFrom, LABEL, projectNetworkName } from '../../engine/labels.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Reader } from '../../store/database.ts'
import type { Tuning } from '../../tuning.ts'
import type { Routes } from '../deployments/pipeline.ts'
import type { Target } from '../deployments/release.ts'
import { waitUntilQuiet } from './quiet.ts'
import { createReleasePorts } from './release-ports.ts'
import { type RoutedApp, type RoutedDomain, routedApps, routedDomains } from './store.ts'
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

export function appKey(appId: number): string {
  return `app-${appId}`
}

/** Decides who is routed where: the database says what is live, the engine says at which address. */
export function createRouting(deps: Deps): Routes & { sync(): Promise<boolean>; syncSoon(): void; settle(): Promise<void> } {
  const { db, edge, instance, log } = deps
  const ports = createReleasePorts(deps.portOf)
  /** Releases that are being put in place: the only routes that the database does not know yet. */
  const switched = new Map<number, Target>()
  const retiring = new Map<number, EdgeTarget[]>()
  /** One look at a time: of two at once the older could be told to the edge last. Calls during one share the next. */
  const sync = createTurns(syncNow)

  function targetsOf(app: RoutedApp, containers: readonly ContainerSummary[]): EdgeTarget[] {
    const network = projectNetworkName(instance, app.projectId)
    const running = containers.filter((container) => container.state === 'running' && (container.ips[network] ?? '') !== '')
    const ahead = switched.get(app.id)
    // one that has died already gives way to what served before, without waiting for its deployment to notice
    if (ahead && running.some((container) => container.ips[network] === ahead.ip)) return [ahead]
    const port = ports.of(app)
    if (app.activeId === null || port === null || app.wanted === 'stopped') return []
    return running
      .filter((container) => idFrom(container.labels, 'deployment') === app.activeId)
      .map((container) => ({ ip: container.ips[network] ?? '', port }))
  }

  function pageOf(app: RoutedApp): 'stopped' | 'starting' | 'down' {
    if (app.status === 'building' || app.status === 'deploying') return 'starting'
    return app.wanted === 'stopped' || app.status === 'stopped' ? 'stopped' : 'down'
  }

  async function wanted(): Promise<EdgeRoutes> {
    const containers = await deps.engine.containers.list({ labels: { [LABEL.instance]: instance } })
    const [apps, domains, dashboard] = await Promise.all([routedApps(db), routedDomains(db), deps.dashboard()])
    const containersOf = Map.groupBy(containers, (container) => idFrom(container.labels, 'app'))
    const domainsOf = Map.groupBy(domains, (domain) => domain.appId)
    const routed: EdgeApp[] = apps.map((app) => {
      const targets = targetsOf(app, containersOf.get(app.id) ?? [])
      const hosts = (domainsOf.get(app.id) ?? []).map(hostName)
      return { appKey: appKey(app.id), hosts, targets, ...(targets.length === 0 && { page: pageOf(app) }) }
    })
    return { apps: routed, ...(dashboard && { dashboard }) }
  }

  /** False when it could not be put in place now. It stays wanted: the edge goes on trying, and so does the next look. */
  async function syncNow(): Promise<boolean> {
    try {
      await edge.setRoutes(await wanted())
      return true
    } catch (err) {
      if (!(err instanceof EdgeUnavailable) && !(err instanceof EngineUnreachable)) throw err
      log.debug({ err }, 'routes wait for the edge or the engine')
      return false
    }
  }

  /** Many changes in a moment are one look. */
  function syncSoon(): void {
    sync().catch((err: unknown) => log.warn({ err }, 'routes were not synchronised'))
  }

  async function switchTo(appId: number, target: Target): Promise<void> {
    const app = (await routedApps(db)).find((candidate) => candidate.id === appId)
    const containers = await deps.engine.containers.list({ labels: { [LABEL.instance]: instance, [LABEL.app]: String(appId) } })
    if (app) retiring.set(appId, targetsOf(app, containers))
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
    const limitMs = deps.tuning.drainMs
    const giveUpAt = performance.now() + limitMs
    switched.delete(appId) // the database knows by now
    retiring.delete(appId)
    // an edge that has not heard of the switch still sends visitors to what is about to go
    while (!(await sync()) && performance.now() < giveUpAt) await sleep(RETRY_MS, undefined, { signal })
    if (old.length > 0) await waitUntilQuiet(async () => await edge.inFlight(old), { limitMs: giveUpAt - performance.now(), signal })
  }

  /** Running containers of releases that are not live: left by a crash between two steps of a deployment. */
  async function strays(): Promise<EdgeTarget[]> {
    const [containers, apps] = await Promise.all([deps.engine.containers.list({ labels: { [LABEL.instance]: instance } }), routedApps(db)])
    return apps.flatMap((app) => {
      const network = projectNetworkName(instance, app.projectId)
      const left = containers.filter(
        ({ labels, state }) => state === 'running' && idFrom(labels, 'app') === app.id && idFrom(labels, 'deployment') !== app.activeId,
      )
      const known = new Set([app.port, ports.of(app)])
      return left.flatMap(({ ips }) => [...known].flatMap((port) => (port === null || !ips[network] ? [] : [{ ip: ips[network], port }])))
    })
  }

  /** At the start: what a crash left half switched or half drained finishes its requests before anybody takes it away. */
  async function settle(): Promise<void> {
    const found = await strays().catch((err: unknown) => {
      log.debug({ err }, 'the engine does not answer yet')
      return []
    })
    if (found.length === 0) return
    const limit = { limitMs: deps.tuning.drainMs, signal: new AbortController().signal }
    await Promise.race([sync(), sleep(limit.limitMs)])
    await Promise.all(found.map(async (target) => await waitUntilQuiet(async () => await edge.inFlight([target]), limit)))
  }

  return { switchTo, restore, drain, sync, syncSoon, settle }
}

export type Routing = ReturnType<typeof createRouting>

function hostName({ host, redirectHttps, hsts }: RoutedDomain): EdgeHostName {
  return { host, redirectHttps, hsts }
}
