import type { Routes, Target } from '../domain/routes.ts'
import { type Edge, type EdgeTarget, EdgeUnavailable } from '../edge/edge.ts'
import { EngineUnreachable } from '../engine/api/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { poll } from '../lib/retry.ts'
import type { Tuning } from '../lib/tuning.ts'
import { createStrayDrain } from './drain.ts'
import { createLeaveRelease } from './leave-release.ts'
import { createRouteSync, isOfEngine, type SyncFailure } from './route-sync.ts'
import { createSharedRoutes, type RoutingNode } from './shared-routes.ts'
import type { WantedRoutes } from './wanted-routes.ts'
import { createWithoutVisitors } from './without-visitors.ts'

type Deps = {
  wanted: WantedRoutes
  edge: Edge
  tuning: Pick<Tuning, 'drainMs'>
  log: Logger
  /** If there are several, the edges of all of them are switched. */
  node?: RoutingNode | undefined
}

const RETRY_MS = 250

/** Switches the traffic of one app from one release to the next. */
export function createRouting({ wanted, edge, tuning: { drainMs }, log, node }: Deps) {
  const routeSync = createRouteSync({ wanted, edge, drainMs, log })
  const { sync, syncSoon, put, rowsChanged, containersChanged, whenServing, hasServed } = routeSync
  const shared = node && createSharedRoutes({ ...node, wanted, edge, put, drainMs, log })
  /** The targets of each endpoint of the app. */
  const retiring = new Map<number, EdgeTarget[][]>()

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
    const failure = await poll(() => trySwitch(appId, target), { until, everyMs: RETRY_MS, limitMs: drainMs })
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
    const [failure, ofOthers] = await Promise.all([whenServing(put), announcement?.whyNotServed()])
    return failure instanceof EdgeUnavailable && !(await edge.isServing()) ? ofOthers : (failure ?? ofOthers)
  }

  async function hasVisitors(): Promise<boolean> {
    return hasServed() || (await edge.isServing())
  }

  /** Asks the replicas of every app that has several, and routes to those that answer. */
  async function lookAtReplicas(): Promise<void> {
    if (await wanted.lookAtReplicas()) await put()
  }

  const leaving = { wanted, edge, drainMs, routeSync, shared, retiring, hasVisitors, lookAtReplicas }
  const routes: Routes = { isServed, switchTo, ...createLeaveRelease(leaving) }
  const withoutVisitors = createWithoutVisitors({ wanted, edge, drainMs, hasVisitors, lookAtReplicas, whenServing, put, sync, shared })
  const drainStrays = createStrayDrain({ strays: wanted.strays, sync, edge, drainMs, log })
  return { ...routes, withoutVisitors, lookAtReplicas, sync, syncSoon, rowsChanged, containersChanged, drainStrays, shared }
}

export type Routing = ReturnType<typeof createRouting>
