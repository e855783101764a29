import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../domain/routes.ts'
import { type Edge, type EdgeTarget, EdgeUnavailable } from '../edge/edge.ts'
import { EngineUnreachable } from '../engine/api/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { poll } from '../lib/retry.ts'
import { isDatabaseFailure } from '../store/storage-failure.ts'
import type { SharedRoutes } from './shared-routes.ts'
import { isOfEngine, type SyncFailure } from './sync-failure.ts'
import type { WantedRoutes } from './wanted-routes.ts'

type Deps = {
  wanted: Pick<WantedRoutes, 'lookAt' | 'lookAtAll' | 'isKnown' | 'markStale' | 'read'>
  edge: Pick<Edge, 'update' | 'state' | 'isServing'>
  drainMs: number
  log: Logger
}

/** An engine that is busy removing a container may fail to list the others; it is tried again a few times, a second apart, and then at the usual interval. */
const AGAIN_MS = 1000
const MOST_AGAIN = 5
const NEVER_SERVED_MS = 500
const SWITCH_AGAIN_MS = 250

/** Updates the edge to the wanted routes: after listing containers, or without that if containers are not involved. */
export function createRouteSync({ wanted, edge, drainMs, log }: Deps) {
  let failures = 0
  let hasServed = false
  const warn = (err: unknown) => log.warn({ err }, 'routes were not synchronised')

  /** Lists the containers of one app, or of all, and updates the edge. If this fails now, the edge and the next sync keep trying. */
  async function sync(appId?: number): Promise<SyncFailure | undefined> {
    try {
      await (appId === undefined ? wanted.lookAtAll() : wanted.lookAt(appId))
      failures = 0
    } catch (err) {
      if (!isOfEngine(err)) throw err
      log.debug({ err }, 'waiting for the engine before updating routes')
      lookAgain()
      return err
    }
    return await put()
  }

  /** Uses the addresses found last. The edge is not updated before the first listing. */
  async function put(): Promise<EdgeUnavailable | undefined> {
    if (!wanted.isKnown()) return undefined
    try {
      await edge.update(wanted.read)
      hasServed = true
      return undefined
    } catch (err) {
      if (!(err instanceof EdgeUnavailable)) throw err
      if (isDatabaseFailure(err.cause)) throw err.cause // the edge did not fail
      return err
    }
  }

  function lookAgain(): void {
    failures += 1
    if (failures <= MOST_AGAIN) setTimeout(syncSoon, AGAIN_MS).unref()
  }

  function syncSoon(): void {
    sync().catch(warn)
  }

  /** For changes of domains, settings or app rows, which do not involve the engine. */
  function rowsChanged(): void {
    wanted.markStale()
    put().catch(warn)
  }

  /** Call when containers of the app were started, stopped or removed. While the engine is not responding, only the row counts. */
  function containersChanged(appId: number): void {
    sync(appId)
      .then((failure) => (isOfEngine(failure) ? rowsChanged() : undefined))
      .catch(warn)
  }

  async function hasVisitors(): Promise<boolean> {
    return hasServed || (await edge.isServing())
  }

  /** An edge that is not serving has no visitors to lose: one that is starting gets a moment, otherwise we do not wait. */
  async function whenServing(work: () => Promise<SyncFailure | undefined>): Promise<SyncFailure | undefined> {
    if (await hasVisitors()) return await work()
    const { state, message } = edge.state()
    const waitMs = state === 'starting' ? drainMs : NEVER_SERVED_MS
    return await Promise.race([work(), sleep(waitMs, new EdgeUnavailable(message), { ref: false })])
  }

  return { sync, syncSoon, put, rowsChanged, containersChanged, whenServing, hasVisitors, hasServed: () => hasServed }
}

export type RouteSync = ReturnType<typeof createRouteSync>

type SwitchDeps = {
  wanted: Pick<WantedRoutes, 'lookAt' | 'aheadOf' | 'switchTo'>
  edge: Pick<Edge, 'isServing'>
  drainMs: number
  routeSync: Pick<RouteSync, 'put' | 'whenServing'>
  /** Undefined if there is one node. */
  shared: Pick<SharedRoutes, 'announce'> | undefined
  /** Gets the targets that each app had before it was switched, for each endpoint. */
  retiring: Map<number, EdgeTarget[][]>
}

/** Switches the traffic of one app from one release to the next. */
export function createTrafficSwitch({ wanted, edge, drainMs, routeSync, shared, retiring }: SwitchDeps) {
  async function isServed(appId: number): Promise<boolean> {
    try {
      return (await wanted.lookAt(appId)).length > 0
    } catch (err) {
      if (!isOfEngine(err)) throw err
      return true // unknown at the moment, so assume that there are visitors
    }
  }

  /**
   * If the engine is unreachable, the caller waits for it. A busy engine, or an edge that does not accept the route, is retried for a
   * while.
   */
  async function switchTo(appId: number, target: Target): Promise<void> {
    const until = (found: SyncFailure | undefined) => found === undefined || found instanceof EngineUnreachable
    const failure = await poll(() => trySwitch(appId, target), { until, everyMs: SWITCH_AGAIN_MS, limitMs: drainMs })
    if (failure !== undefined) throw failure
  }

  /**
   * An edge that is not running does not block the switch: no visitor reaches the earlier release then, and the edge loads the new route
   * when it is back.
   */
  async function trySwitch(appId: number, target: Target): Promise<SyncFailure | undefined> {
    try {
      const before = await wanted.lookAt(appId)
      if (wanted.aheadOf(appId) === undefined) retiring.set(appId, before)
    } catch (err) {
      if (isOfEngine(err)) return err
      throw err
    }
    const announcement = await shared?.announce(appId, { target })
    wanted.switchTo(appId, target)
    const [failure, ofOthers] = await Promise.all([routeSync.whenServing(routeSync.put), announcement?.whyNotServed()])
    return failure instanceof EdgeUnavailable && !(await edge.isServing()) ? ofOthers : (failure ?? ofOthers)
  }

  return { isServed, switchTo }
}
