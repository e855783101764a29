import type { Routes } from '../domain/routes.ts'
import type { Edge, EdgeTarget } from '../edge/edge.ts'
import type { Logger } from '../lib/logger.ts'
import type { Tuning } from '../lib/tuning.ts'
import { createStrayDrain } from './drain.ts'
import { createLeaveRelease } from './leave-release.ts'
import { createRouteSync, createTrafficSwitch } from './route-sync.ts'
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

/** Everything that changes where visitors go, created top to bottom. */
export function createRouting({ wanted, edge, tuning: { drainMs }, log, node }: Deps) {
  const routeSync = createRouteSync({ wanted, edge, drainMs, log })
  const { sync, syncSoon, put, rowsChanged, containersChanged } = routeSync
  const shared = node && createSharedRoutes({ ...node, wanted, edge, put, drainMs, log })

  /** Asks the replicas of every app that has several, and routes to those that answer. */
  async function lookAtReplicas(): Promise<void> {
    if (await wanted.lookAtReplicas()) await put()
  }

  /** Call when the engine says that a container has ended. It still lists one with a restart policy as running at that moment. */
  function containerEnded(appId: number, containerId: string): void {
    wanted.noteEnded(containerId)
    containersChanged(appId)
  }

  const parts = { wanted, edge, drainMs, routeSync, shared, lookAtReplicas }
  const retiring = new Map<number, EdgeTarget[][]>()
  const routes: Routes = { ...createTrafficSwitch({ ...parts, retiring }), ...createLeaveRelease({ ...parts, retiring }) }
  const withoutVisitors = createWithoutVisitors(parts)
  const drainStrays = createStrayDrain({ strays: wanted.strays, sync, edge, drainMs, log })
  return { ...routes, withoutVisitors, lookAtReplicas, sync, syncSoon, rowsChanged, containersChanged, containerEnded, drainStrays, shared }
}

export type Routing = ReturnType<typeof createRouting>
