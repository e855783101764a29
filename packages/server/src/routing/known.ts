import type { EdgeRoutes } from '../edge/edge.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import { ownedBy } from '../engine/labels.ts'
import { coalesce } from '../lib/coalesce.ts'
import type { Reader } from '../store/database.ts'
import { type Endpoint, endpointsIn } from './routed-release.ts'
import { type RoutedApp, routedApp, routedApps, routedDomains } from './store.ts'

export type KnownDeps = {
  db: Reader
  engine: { containers: Pick<Engine['containers'], 'list'> }
  instance: string
  dashboard: () => EdgeRoutes['dashboard']
  /** Below which the generated names are. */
  baseDomain: () => Promise<{ readonly name: string } | undefined>
}

/** What routing knows without asking again: the containers of each app as last listed by the engine, and the rows of apps and hosts. */
export function createKnown(deps: KnownDeps) {
  const looks = createLooks(deps)
  const rows = createRows(deps)

  async function lookAt(appId: number): Promise<void> {
    await looks.lookAt(appId)
    rows.markStale(appId)
  }

  async function lookAtAll(): Promise<void> {
    await looks.lookAtAll()
    rows.markStale()
  }

  return { ...looks, ...rows, lookAt, lookAtAll }
}

export type Known = ReturnType<typeof createKnown>

/** The containers of each app, as last listed by the engine. */
function createLooks({ engine, instance }: Pick<KnownDeps, 'engine' | 'instance'>) {
  const seen = new Map<number, { look: number; containers: readonly ContainerSummary[] }>()
  let looks = 0
  let hasSeenAll = false

  async function list(of: { appId?: number }): Promise<ContainerSummary[]> {
    return await engine.containers.list({ labels: ownedBy({ instance, ...of }) })
  }

  /** Of two overlapping listings, the one that started later counts, whichever ends last. */
  function keep(appId: number, look: number, containers: readonly ContainerSummary[]): void {
    if ((seen.get(appId)?.look ?? 0) < look) seen.set(appId, { look, containers })
  }

  /** Lists all apps. Calls during a listing share the next one. */
  const lookAtAll = coalesce(async () => {
    const look = (looks += 1)
    const found = Map.groupBy(await list({}), ({ owner }) => owner.appId)
    for (const appId of new Set([...seen.keys(), ...found.keys()])) if (appId !== null) keep(appId, look, found.get(appId) ?? [])
    hasSeenAll = true
  })

  /** Lists one app. The first listing is always of all apps: until then the others are unknown. */
  async function lookAt(appId: number): Promise<void> {
    if (!hasSeenAll) return await lookAtAll()
    const look = (looks += 1)
    keep(appId, look, await list({ appId }))
  }

  return {
    lookAt,
    lookAtAll,
    hasSeenAll: () => hasSeenAll,
    containersOf: (appId: number): readonly ContainerSummary[] => seen.get(appId)?.containers ?? [],
  }
}

/** Cached rows of apps and hosts. Only what was marked as stale is read again. */
function createRows({ db, dashboard, baseDomain }: Pick<KnownDeps, 'db' | 'dashboard' | 'baseDomain'>) {
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
    const [found, domains, base] = await Promise.all([routedApps(db), routedDomains(db), baseDomain()])
    const domainsOf = Map.groupBy(domains, ({ appId }) => appId)
    apps = new Map(found.map((app) => [app.id, app]))
    endpoints = new Map(found.map(({ id }) => [id, endpointsIn(domainsOf.get(id) ?? [], base?.name)]))
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
