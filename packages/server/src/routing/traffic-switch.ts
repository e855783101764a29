import type { Routes, Target } from '../domain/routes.ts'
import { type Edge, type EdgeTarget, EdgeUnavailable } from '../edge/edge.ts'
import { EngineUnreachable } from '../engine/api/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { poll } from '../lib/retry.ts'
import type { Tuning } from '../lib/tuning.ts'
import { createStrayDrain, inFlightOf, waitUntilIdle } from './drain.ts'
import { createRouteSync, isOfEngine, type SyncFailure } from './route-sync.ts'
import type { WantedRoutes } from './wanted-routes.ts'
import { createWithoutVisitors } from './without-visitors.ts'

type Deps = { wanted: WantedRoutes; edge: Edge; tuning: Pick<Tuning, 'drainMs'>; log: Logger }

const RETRY_MS = 250

/** Switches the traffic of one app from one release to the next. */
export function createRouting({ wanted, edge, tuning: { drainMs }, log }: Deps) {
  const { sync, syncSoon, put, rowsChanged, containersChanged, whenServing, hasServed } = createRouteSync({ wanted, edge, drainMs, log })
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
    const hindrance = await poll(() => trySwitch(appId, target), { until, everyMs: RETRY_MS, limitMs: drainMs })
    if (hindrance !== undefined) throw hindrance
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
    wanted.switchTo(appId, target)
    const hindrance = await whenServing(put)
    return hindrance instanceof EdgeUnavailable && !(await edge.isServing()) ? undefined : hindrance
  }

  /**
   * Switches back to the previous release at once, which the edge already knows, then checks that this is complete. The release that
   * visitors were on may be healthy and finishes its requests.
   */
  async function restore(appId: number): Promise<void> {
    const ahead = wanted.aheadTargets(appId)
    wanted.endSwitch(appId)
    retiring.delete(appId)
    if (hasServed()) await put()
    await whenServing(() => sync(appId))
    if (ahead.length === 0 || !(await hasVisitors())) return
    await waitUntilIdle(async () => await inFlightOf(edge, ahead), { limitMs: drainMs, signal: new AbortController().signal })
  }

  async function hasVisitors(): Promise<boolean> {
    return hasServed() || (await edge.isServing())
  }

  async function drain(appId: number, signal: AbortSignal): Promise<void> {
    const old = retiring.get(appId) ?? []
    const giveUpAt = performance.now() + drainMs
    wanted.endSwitch(appId) // the database has the new state by now
    retiring.delete(appId)
    // an edge that has not applied the switch still sends visitors to the release that is about to be removed
    const hasSwitched = async () => (await whenServing(() => sync(appId))) === undefined || !(await hasVisitors())
    await poll(hasSwitched, { until: Boolean, everyMs: RETRY_MS, limitMs: drainMs, signal })
    await lookAtReplicas() // what takes over from a replica that is about to be removed gets its visitors now
    const earlier = [...old, ...wanted.earlierTargets(appId)]
    if (earlier.length === 0 || !(await hasVisitors())) return
    await waitUntilIdle(async () => await inFlightOf(edge, earlier), { limitMs: giveUpAt - performance.now(), signal })
  }

  /** Asks the replicas of every app that has several, and routes to those that answer. */
  async function lookAtReplicas(): Promise<void> {
    if (await wanted.lookAtReplicas()) await put()
  }

  const routes: Routes = { isServed, switchTo, restore, drain }
  const withoutVisitors = createWithoutVisitors({ wanted, edge, drainMs, hasVisitors, lookAtReplicas, whenServing, put, sync })
  const drainStrays = createStrayDrain({ strays: wanted.strays, sync, edge, drainMs, log })
  return { ...routes, withoutVisitors, lookAtReplicas, sync, syncSoon, rowsChanged, containersChanged, drainStrays }
}

export type Routing = ReturnType<typeof createRouting>
