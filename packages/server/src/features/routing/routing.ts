import { type Edge, type EdgeApp, type EdgeRoutes, type EdgeTarget, EdgeUnavailable } from '../../edge/edge.ts'
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
import { type RoutedApp, routedApps, routedDomains } from './store.ts'

type Deps = {
  db: Reader
  engine: Pick<Engine, 'containers'>
  edge: Edge
  instance: string
  dashboard: () => Promise<EdgeRoutes['dashboard']>
  tuning: Pick<Tuning, 'drainMs'>
  log: Logger
}

export function appKey(appId: number): string {
  return `app-${appId}`
}

/** Decides who is routed where: the database says what is live, the engine says at which address. */
export function createRouting(deps: Deps): Routes & { sync(): Promise<void>; syncSoon(): void } {
  const { db, edge, log } = deps
  /** Releases that are being put in place: the only routes that the database does not know yet. */
  const switched = new Map<number, Target>()
  const retiring = new Map<number, EdgeTarget[]>()
  let pending: Promise<void> | undefined

  function targetsOf(app: RoutedApp, containers: readonly ContainerSummary[]): EdgeTarget[] {
    const ahead = switched.get(app.id)
    if (ahead) return [ahead]
    const { port } = app
    if (app.activeId === null || port === null) return []
    const network = projectNetworkName(deps.instance, app.projectId)
    return containers
      .filter(
        (container) =>
          container.state === 'running' &&
          idFrom(container.labels, 'app') === app.id &&
          idFrom(container.labels, 'deployment') === app.activeId,
      )
      .flatMap((container) => {
        const ip = container.ips[network]
        return ip === undefined || ip === '' ? [] : [{ ip, port }]
      })
  }

  function pageOf(app: RoutedApp): 'stopped' | 'starting' | 'down' {
    if (app.status === 'building' || app.status === 'deploying') return 'starting'
    return app.wanted === 'stopped' || app.status === 'stopped' ? 'stopped' : 'down'
  }

  async function wanted(): Promise<EdgeRoutes> {
    const containers = await deps.engine.containers.list({ labels: { [LABEL.instance]: deps.instance } })
    const [apps, domains, dashboard] = await Promise.all([routedApps(db), routedDomains(db), deps.dashboard()])
    const routed: EdgeApp[] = apps.map((app) => {
      const targets = targetsOf(app, containers)
      const hosts = domains
        .filter((domain) => domain.appId === app.id)
        .map(({ host, redirectHttps, hsts }) => ({ host, redirectHttps, hsts }))
      return { appKey: appKey(app.id), hosts, targets, ...(targets.length === 0 && { page: pageOf(app) }) }
    })
    return { apps: routed, ...(dashboard && { dashboard }) }
  }

  /** What cannot be put in place now stays wanted: the edge goes on trying, and so does the next sync. */
  async function sync(): Promise<void> {
    try {
      await edge.setRoutes(await wanted())
    } catch (err) {
      if (!(err instanceof EdgeUnavailable) && !(err instanceof EngineUnreachable)) throw err
      log.debug({ err }, 'routes wait for the edge or the engine')
    }
  }

  /** Many changes in a moment are one look. */
  function syncSoon(): void {
    pending ??= Promise.resolve()
      .then(async () => {
        pending = undefined
        await sync()
      })
      .catch((err: unknown) => log.warn({ err }, 'routes were not synchronised'))
  }

  async function switchTo(appId: number, target: Target): Promise<void> {
    const app = (await routedApps(db)).find((candidate) => candidate.id === appId)
    const containers = await deps.engine.containers.list({ labels: { [LABEL.instance]: deps.instance, [LABEL.app]: String(appId) } })
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
    switched.delete(appId) // the database knows by now
    retiring.delete(appId)
    await sync()
    if (old.length > 0) await waitUntilQuiet(async () => await edge.inFlight(old), { limitMs: deps.tuning.drainMs, signal })
  }

  return { switchTo, restore, drain, sync, syncSoon }
}

export type Routing = ReturnType<typeof createRouting>
