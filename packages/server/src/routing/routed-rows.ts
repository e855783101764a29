import type { EdgeRoutes } from '../edge/edge.ts'
import type { Reader } from '../store/database.ts'
import { type Endpoint, endpointsIn } from './endpoints.ts'
import { type RoutedApp, routedApp, routedApps, routedDomains } from './store.ts'

type Deps = { db: Reader; dashboard: () => EdgeRoutes['dashboard'] }

/** Cached rows of apps and hosts. Only what was marked as stale is read again. */
export function createRoutedRows({ db, dashboard }: Deps) {
  let apps = new Map<number, RoutedApp>()
  let endpoints = new Map<number, Endpoint[]>()
  let dashboardRoute: EdgeRoutes['dashboard']
  let stale: 'all' | Set<number> = 'all'

  /** Marks one app, or everything, as stale. A change of hosts marks everything. */
  function markStale(appId?: number): void {
    if (appId === undefined) stale = 'all'
    else if (stale !== 'all') stale.add(appId)
  }

  async function refresh(): Promise<void> {
    const due = stale
    stale = new Set() // anything marked from here on is read next time
    try {
      if (due === 'all') await readAll()
      else for (const appId of due) await readOne(appId)
    } catch (cause) {
      stale = 'all'
      throw cause
    }
  }

  async function readAll(): Promise<void> {
    const [found, domains] = await Promise.all([routedApps(db), routedDomains(db)])
    const domainsOf = Map.groupBy(domains, ({ appId }) => appId)
    apps = new Map(found.map((app) => [app.id, app]))
    endpoints = new Map(found.map(({ id }) => [id, endpointsIn(domainsOf.get(id) ?? [])]))
    dashboardRoute = dashboard()
  }

  async function readOne(appId: number): Promise<void> {
    const app = await routedApp(db, appId)
    if (app) apps.set(appId, app)
    else apps.delete(appId)
  }

  return {
    markStale,
    refresh,
    apps: (): RoutedApp[] => [...apps.values()],
    appOf: (appId: number): RoutedApp | undefined => apps.get(appId),
    endpointsOf: (appId: number): readonly Endpoint[] => endpoints.get(appId) ?? endpointsIn([]),
    dashboard: () => dashboardRoute,
  }
}

export type RoutedRows = ReturnType<typeof createRoutedRows>
