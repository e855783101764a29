import type { Edge } from '../edge/edge.ts'
import { poll } from '../lib/retry.ts'
import { inFlightOf, waitUntilIdle } from './drain.ts'
import type { RouteSync } from './route-sync.ts'
import type { SharedRoutes } from './shared-routes.ts'
import type { WantedRoutes } from './wanted-routes.ts'

type Deps = {
  routeSync: Pick<RouteSync, 'whenServing' | 'hasVisitors' | 'put' | 'sync'>
  wanted: Pick<WantedRoutes, 'rest' | 'wake' | 'hasStandIn' | 'requestsOf'>
  edge: Pick<Edge, 'inFlight'>
  drainMs: number
  lookAtReplicas: () => Promise<void>
  /** Undefined if there is one node. */
  shared: Pick<SharedRoutes, 'rest' | 'wake'> | undefined
}

const LOOK_MS = 250

/**
 * Does some work, such as a restart, while the other replicas have the visitors of a container. It waits until another replica answers and
 * the requests of this one have ended, each for a limited time, and then does the work in any case.
 */
export function createWithoutVisitors({ wanted, edge, drainMs, routeSync, lookAtReplicas, shared }: Deps) {
  const { whenServing, hasVisitors, put, sync } = routeSync
  const limits = { until: Boolean, everyMs: LOOK_MS, limitMs: drainMs }

  async function waitForStandIn(appId: number, containerId: string): Promise<boolean> {
    const hasStandIn = async () => {
      await lookAtReplicas()
      return wanted.hasStandIn(appId, containerId)
    }
    return await poll(hasStandIn, limits)
  }

  /** If no other one answers, it keeps its visitors: then the best moment is one without requests. */
  async function drain(appId: number, containerId: string, { hasStandIn }: { hasStandIn: boolean }): Promise<void> {
    const inFlight = async () => {
      const { sets, isRouted } = wanted.requestsOf(appId, containerId)
      return isRouted && hasStandIn ? 1 : await inFlightOf(edge, sets)
    }
    if (wanted.requestsOf(appId, containerId).sets.length > 0)
      await waitUntilIdle(inFlight, { limitMs: drainMs, signal: new AbortController().signal })
  }

  return async function withoutVisitors(appId: number, containerId: string, work: () => Promise<void>): Promise<void> {
    const hasStandIn = (await hasVisitors()) && (await waitForStandIn(appId, containerId))
    wanted.rest(containerId)
    try {
      const announcement = await shared?.rest(appId, containerId)
      const isApplied = async () => (await whenServing(put)) === undefined || !(await hasVisitors())
      await poll(isApplied, limits)
      const ours = async () => ((await hasVisitors()) ? await drain(appId, containerId, { hasStandIn }) : undefined)
      await Promise.all([ours(), announcement?.drained({ limitMs: drainMs })])
      await work()
    } finally {
      wanted.wake(containerId)
      await shared?.wake(appId, containerId).catch(() => undefined) // a later look at the routes does it
      await sync(appId)
      await lookAtReplicas()
    }
  }
}
