import { hash } from 'node:crypto'
import type { EdgeHostName, EdgeRoutes } from '../edge/edge.ts'
import type { Reader } from '../store/database.ts'
import { type RoutedApp, type RoutedDomain, routedApp, routedApps, routedDomains } from './store.ts'

/** The hosts of an app whose visitors go to the same place: the app itself, where `service` is empty, or one service at one port. */
export type Endpoint = { readonly service: string; readonly port: number | null; readonly hosts: readonly EdgeHostName[] }

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

/** The app's own first, with or without a host. */
export function endpointsIn(domains: readonly RoutedDomain[]): Endpoint[] {
  const byPlace = Map.groupBy(domains, ({ service, port }) => `${service}:${service === '' ? '' : port}`)
  const own = byPlace.get(':') ?? []
  const others = [...byPlace.values()].filter((some) => some !== own)
  const endpointOf = (some: readonly RoutedDomain[], { service, port }: Pick<Endpoint, 'service' | 'port'>): Endpoint => ({
    service,
    port,
    hosts: some.map(({ host, redirectHttps, hsts }) => ({ host, redirectHttps, hsts })),
  })
  return [endpointOf(own, { service: '', port: null }), ...others.map((some) => endpointOf(some, some[0] ?? { service: '', port: null }))]
}

/** The edge counts all endpoints of an app as that app: what is behind the underscore is not read. */
export function endpointKey(appKey: string, { service, port }: Pick<Endpoint, 'service' | 'port'>): string {
  return service === '' ? appKey : `${appKey}_${hash('sha256', `${service}:${port}`, 'hex').slice(0, 12)}`
}
