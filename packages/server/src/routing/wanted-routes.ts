import type { Target } from '../domain/routes.ts'
import { appKey, type EdgeApp, type EdgeRoutes, type EdgeTarget } from '../edge/edge.ts'
import { projectNetworkName } from '../engine/labels.ts'
import { createEarlierTargets } from './earlier-targets.ts'
import { createKnown, type Known, type KnownDeps } from './known.ts'
import { createReleasePorts } from './release-ports.ts'
import { createReplicaHealth, type ProbeTarget } from './replica-health.ts'
import { aheadTargets, candidatesOf, type Endpoint, endpointKey, endpointsIn, pageOf, strayTargets, targetsOf } from './routed-release.ts'
import { type RoutedApp, routedApp, routedApps, routedDomains, sealedConfigOf } from './store.ts'

type Deps = KnownDeps & {
  /** What a release was started with: the app's own settings may have been changed since. */
  releaseOf: Parameters<typeof createReleasePorts>[0]['releaseOf']
  probe: ProbeTarget
}

/** What the edge should serve: which release is live and its host names come from the database, its addresses from the engine. */
export function createWantedRoutes(deps: Deps) {
  const { db, instance } = deps
  const ports = createReleasePorts({ releaseOf: deps.releaseOf, sealedConfigOf: (id) => sealedConfigOf(db, id) })
  const known = createKnown(deps)
  const switches = createSwitches(known)
  const health = createReplicaHealth(deps)
  const earlier = createEarlierTargets()

  const networkOf = ({ projectId }: RoutedApp) => projectNetworkName(instance, projectId)
  const seenOf = (app: RoutedApp) => ({ containers: known.containersOf(app.id), network: networkOf(app), port: ports.of(app) })
  const releaseOf = (app: RoutedApp, endpoint: Endpoint) =>
    targetsOf(app, { ...seenOf(app), ahead: switches.aheadOf(app.id), isReady: health.isReady }, endpoint)

  /** The health check path is that of the service with the app's port. */
  const pathOf = (app: RoutedApp, { service, port }: Endpoint) =>
    (service === '' || service === app.mainService) && (port ?? ports.of(app)) === ports.of(app) ? ports.pathOf(app) : ''

  /** Passed to the edge once all containers have been listed, and called at the beginning of each pass. */
  async function read(): Promise<EdgeRoutes> {
    await known.refresh()
    await ports.learn(known.apps())
    const endpoints = known.apps().flatMap((app) => known.endpointsOf(app.id).map((endpoint) => ({ app, endpoint })))
    health.watch(
      endpoints.map(({ app, endpoint }) => ({ candidates: candidatesOf(app, seenOf(app), endpoint), path: pathOf(app, endpoint) })),
    )
    const apps = endpoints.map(({ app, endpoint }): EdgeApp => {
      const release = releaseOf(app, endpoint)
      const key = endpointKey(appKey(app.id), endpoint)
      return {
        appKey: key,
        ownerId: app.ownerId,
        hosts: endpoint.hosts,
        ...release,
        ...(release.targets.length === 0 && { page: pageOf(app) }),
      }
    })
    earlier.note(apps)
    const dashboard = known.dashboard()
    return { apps, ...(dashboard && { dashboard }) }
  }

  /** Lists the containers of one app and returns the targets of each of its endpoints: the edge counts requests by such a set. */
  async function lookAt(appId: number): Promise<EdgeTarget[][]> {
    await known.lookAt(appId)
    const app = await routedApp(db, appId)
    if (app === undefined) return []
    await ports.learn([app])
    const endpoints = endpointsIn(await routedDomains(db, appId))
    return endpoints.map((endpoint) => releaseOf(app, endpoint).targets).filter((targets) => targets.length > 0)
  }

  return {
    read,
    lookAt,
    lookAtAll: known.lookAtAll,
    isKnown: known.hasSeenAll,
    /** Call after a change in the database that does not involve the engine. */
    markStale: () => known.markStale(),
    ...switches,
    /** Releases that are running but not live. */
    strays: async () => {
      await known.lookAtAll()
      return await straysIn({ db, ports, seenOf })
    },
    /** The sets that the endpoints of an app had until recently. */
    earlierTargets: (appId: number) => known.endpointsOf(appId).flatMap((endpoint) => earlier.of(endpointKey(appKey(appId), endpoint))),
    lookAtReplicas: health.look,
    ...createReplicaPlaces({ known, seenOf, health, earlier }),
  }
}

export type WantedRoutes = ReturnType<typeof createWantedRoutes>

type ReplicaDeps = {
  known: Pick<Known, 'appOf' | 'endpointsOf'>
  seenOf: (app: RoutedApp) => Parameters<typeof candidatesOf>[1]
  health: Pick<ReturnType<typeof createReplicaHealth>, 'isKnownReady' | 'rest' | 'wake' | 'noteEnded'>
  earlier: Pick<ReturnType<typeof createEarlierTargets>, 'withTarget'>
}

/** One container among the replicas of its app. */
function createReplicaPlaces({ known, seenOf, health, earlier }: ReplicaDeps) {
  /** The endpoints that it is behind. */
  function placesOf(appId: number, containerId: string) {
    const app = known.appOf(appId)
    if (app === undefined) return []
    return known.endpointsOf(appId).flatMap((endpoint) => {
      const candidates = candidatesOf(app, seenOf(app), endpoint)
      const own = candidates.find(({ id }) => id === containerId)
      const others = candidates.filter((each) => each !== own)
      return own === undefined ? [] : [{ key: endpointKey(appKey(appId), endpoint), target: own.target, others }]
    })
  }

  /** Whether another one that answers can have its visitors, at each endpoint. */
  const hasStandIn = (appId: number, containerId: string): boolean =>
    placesOf(appId, containerId).every(({ others }) => others.some(health.isKnownReady))

  /** The sets of targets under which it may have requests, and whether it still gets new ones. */
  function requestsOf(appId: number, containerId: string): { sets: (readonly EdgeTarget[])[]; isRouted: boolean } {
    const found = placesOf(appId, containerId).map(({ key, target }) => earlier.withTarget(key, target))
    return { sets: found.flatMap(({ sets }) => sets), isRouted: found.some(({ isCurrent }) => isCurrent) }
  }

  return { hasStandIn, requestsOf, rest: health.rest, wake: health.wake, noteEnded: health.noteEnded }
}

type Strays = Pick<Deps, 'db'> & {
  ports: ReturnType<typeof createReleasePorts>
  seenOf: (app: RoutedApp) => Pick<Parameters<typeof strayTargets>[1], 'containers' | 'network'>
}

async function straysIn({ db, ports, seenOf }: Strays): Promise<EdgeTarget[][]> {
  const [apps, domains] = await Promise.all([routedApps(db), routedDomains(db)])
  await ports.learn(apps)
  const domainsOf = Map.groupBy(domains, ({ appId }) => appId)
  return apps.flatMap((app) => {
    const endpointPorts = (domainsOf.get(app.id) ?? []).map(({ port }) => port)
    return strayTargets(app, { ...seenOf(app), ports: new Set([app.port, ports.of(app), ...endpointPorts]) })
  })
}

/** Releases that are being rolled out: the only routes that are not in the database yet. */
function createSwitches({ markStale, endpointsOf }: Pick<Known, 'markStale' | 'endpointsOf'>) {
  const ahead = new Map<number, Target>()

  function switchTo(appId: number, target: Target): void {
    ahead.set(appId, target)
    markStale(appId)
  }

  /** From now on the app is routed according to the database. */
  function endSwitch(appId: number): void {
    ahead.delete(appId)
    markStale(appId)
  }

  /** The targets of a release that is being rolled out, for each endpoint. */
  function targetsAhead(appId: number): EdgeTarget[][] {
    return endpointsOf(appId)
      .map((endpoint) => aheadTargets(ahead.get(appId), endpoint))
      .filter((targets) => targets.length > 0)
  }

  return { aheadTargets: targetsAhead, aheadOf: (appId: number) => ahead.get(appId), switchTo, endSwitch }
}
