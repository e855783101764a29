import type { Routes } from '../domain/routes.ts'
import type { Edge, EdgeTarget } from '../edge/edge.ts'
import { poll } from '../lib/retry.ts'
import { inFlightOf, waitUntilIdle } from './drain.ts'
import type { RouteSync } from './route-sync.ts'
import type { SharedRoutes } from './shared-routes.ts'
import type { WantedRoutes } from './wanted-routes.ts'

type Deps = {
  wanted: Pick<WantedRoutes, 'aheadTargets' | 'endSwitch' | 'earlierTargets'>
  edge: Pick<Edge, 'inFlight'>
  drainMs: number
  routeSync: Pick<RouteSync, 'sync' | 'put' | 'whenServing' | 'hasVisitors' | 'hasServed'>
  /** Undefined if there is one node. */
  shared: Pick<SharedRoutes, 'announce'> | undefined
  /** The targets that each app had before it was switched, for each endpoint. */
  retiring: Map<number, EdgeTarget[][]>
  lookAtReplicas: () => Promise<void>
}

const RETRY_MS = 250

/** Ends a switch: the release that is not live any more, or never was, finishes its requests. */
export function createLeaveRelease(deps: Deps): Pick<Routes, 'restore' | 'beginAgain' | 'drain'> {
  const { wanted, edge, drainMs, shared, retiring, lookAtReplicas } = deps
  const { sync, put, whenServing, hasVisitors, hasServed } = deps.routeSync

  /**
   * Switches back to the previous release at once, which the edge already knows, then checks that this is complete. The release that
   * visitors were on may be healthy and finishes its requests.
   */
  async function restore(appId: number): Promise<void> {
    const ahead = wanted.aheadTargets(appId)
    const announcement = await shared?.announce(appId, { drain: ahead })
    wanted.endSwitch(appId)
    retiring.delete(appId)
    if (hasServed()) await put()
    await whenServing(() => sync(appId))
    const limit = { limitMs: drainMs, signal: new AbortController().signal }
    const ours = async () => {
      if (ahead.length > 0 && (await hasVisitors())) await waitUntilIdle(async () => await inFlightOf(edge, ahead), limit)
    }
    await Promise.all([ours(), announcement?.drained(limit)])
  }

  /** Undoes a switch that another node may have begun. With one node there is none: a process that has just started has switched nothing. */
  async function beginAgain(appId: number): Promise<void> {
    if (shared) await restore(appId)
  }

  async function drain(appId: number, signal: AbortSignal): Promise<void> {
    const old = retiring.get(appId) ?? []
    const announcement = await shared?.announce(appId, { drain: old })
    wanted.endSwitch(appId) // the database has the new state by now
    retiring.delete(appId)
    await Promise.all([drainOurs(appId, old, signal), announcement?.drained({ limitMs: drainMs, signal })])
  }

  async function drainOurs(appId: number, old: readonly EdgeTarget[][], signal: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + drainMs
    // an edge that has not applied the switch still sends visitors to the release that is about to be removed
    const hasSwitched = async () => (await whenServing(() => sync(appId))) === undefined || !(await hasVisitors())
    await poll(hasSwitched, { until: Boolean, everyMs: RETRY_MS, limitMs: drainMs, signal })
    await lookAtReplicas() // what takes over from a replica that is about to be removed gets its visitors now
    const earlier = [...old, ...wanted.earlierTargets(appId)]
    if (earlier.length === 0 || !(await hasVisitors())) return
    await waitUntilIdle(async () => await inFlightOf(edge, earlier), { limitMs: giveUpAt - performance.now(), signal })
  }

  return { restore, beginAgain, drain }
}
