import type { Edge } from '../edge/edge.ts'
import { inFlightOf, waitUntilIdle } from './drain.ts'
import type { SyncFailure } from './route-sync.ts'
import type { WantedRoutes } from './wanted-routes.ts'

type Deps = {
  wanted: Pick<WantedRoutes, 'resting' | 'earlierTargets'>
  edge: Pick<Edge, 'inFlight'>
  drainMs: number
  hasVisitors: () => Promise<boolean>
  update: () => Promise<SyncFailure | undefined>
  sync: (appId: number) => Promise<SyncFailure | undefined>
}

/** Does work while the other replicas have the visitors of a container. It begins once the requests of that one have ended. */
export function createWithoutVisitors({ wanted, edge, drainMs, hasVisitors, update, sync }: Deps) {
  return async function withoutVisitors(appId: number, containerId: string, work: () => Promise<void>): Promise<void> {
    wanted.resting.add(containerId)
    try {
      await update()
      const earlier = wanted.earlierTargets(appId)
      if (earlier.length > 0 && (await hasVisitors()))
        await waitUntilIdle(async () => await inFlightOf(edge, earlier), { limitMs: drainMs, signal: new AbortController().signal })
      await work()
    } finally {
      wanted.resting.delete(containerId)
      await sync(appId)
    }
  }
}
