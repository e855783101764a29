import { hash } from 'node:crypto'
import type { Target } from '../domain/routes.ts'
import type { EdgeHostName, EdgeTarget } from '../edge/edge.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import { STAND_IN } from '../engine/labels.ts'
import type { RoutedApp, RoutedDomain } from './store.ts'

/** The hosts of an app whose visitors go to the same place: the app itself, where `service` is empty, or one service at one port. */
export type Endpoint = { readonly service: string; readonly port: number | null; readonly hosts: readonly EdgeHostName[] }

/** A container of the live release that may serve visitors. */
export type Candidate = {
  readonly id: string
  readonly target: EdgeTarget
  /** Beyond the wanted number of replicas, and about to be removed. */
  readonly isSurplus: boolean
}

type Known = {
  /** The app's own. */
  containers: readonly ContainerSummary[]
  network: string
  /** The port of the live release. */
  port: number | null
  /** A release that is being rolled out. */
  ahead: Target | undefined
  /** Whether a candidate answers, as far as is known. */
  isReady?: (candidate: Candidate) => boolean
}

type Place = Pick<Endpoint, 'service' | 'port'>
const OWN: Place = { service: '', port: null }

/** The targets of an app, and the fallback while a new release is on trial. Without targets visitors get an error page. */
export function targetsOf(app: RoutedApp, known: Known, endpoint: Place = OWN): { targets: EdgeTarget[]; fallback: EdgeTarget[] } {
  const running = chosen(candidatesOf(app, known, endpoint), known.isReady)
  const live = (running.length > 0 ? running : leavingOf(app, known, endpoint)).map(({ target }) => target)
  const ahead = aheadTargets(known.ahead, endpoint)
  // if one has already died, the previous release takes over without waiting for the deployment to notice
  const ips = new Set(runningIn(known).map((container) => container.ips[known.network]))
  const isAhead = ahead.length > 0 && ahead.every(({ ip }) => ips.has(ip))
  return isAhead ? { targets: ahead, fallback: live } : { targets: live, fallback: [] }
}

export function aheadTargets(ahead: Target | undefined, { service, port }: Place): EdgeTarget[] {
  if (ahead === undefined || (service === '' && ahead.isOfServices)) return []
  const ips = service === '' ? [ahead.ip, ...(ahead.others ?? [])] : (ahead.services?.get(service) ?? [])
  return ips.map((ip) => ({ ip, port: port ?? ahead.port }))
}

function runningIn({ containers, network }: Pick<Known, 'containers' | 'network'>): ContainerSummary[] {
  return containers.filter((container) => container.state === 'running' && (container.ips[network] ?? '') !== '')
}

type Seen = Omit<Known, 'ahead' | 'isReady'>

/** The running containers of the live release behind an endpoint. */
export function candidatesOf(app: RoutedApp, known: Seen, endpoint: Place = OWN): Candidate[] {
  return behind(app, known, { ...endpoint, ipOf: ({ state, ips }) => (state === 'running' ? ips[known.network] : undefined) })
}

/** Containers that Swarm is replacing and that still answer: it replaces whatever was cut off from its managers. */
function leavingOf(app: RoutedApp, known: Seen, endpoint: Place): Candidate[] {
  return behind(app, known, { ...endpoint, ipOf: ({ lastIps }) => lastIps?.[known.network] })
}

type Wanted = Place & { ipOf: (container: ContainerSummary) => string | undefined }

function behind(app: RoutedApp, known: Seen, { service, port: given, ipOf }: Wanted): Candidate[] {
  const port = given ?? known.port
  if (app.activeId === null || port === null || app.wanted === 'stopped') return []
  const isOfEndpoint = ({ owner }: ContainerSummary) => owner.service === null || owner.service === (service || app.mainService)
  return known.containers.flatMap((container): Candidate[] => {
    const { id, owner } = container
    const ip = ipOf(container) ?? ''
    if (ip === '' || owner.deploymentId !== app.activeId || !isOfEndpoint(container)) return []
    const isSurplus = owner.service === null ? owner.replica > app.replicas : owner.replica === STAND_IN
    return [{ id, target: { ip, port }, isSurplus }]
  })
}

/** The candidates that answer, or all if none does. One that is about to be removed serves only if no other answers. */
function chosen(candidates: readonly Candidate[], isReady: Known['isReady'] = () => true): readonly Candidate[] {
  if (candidates.length < 2) return candidates
  const ready = candidates.filter(isReady)
  const wanted = ready.filter(({ isSurplus }) => !isSurplus)
  return wanted.length > 0 ? wanted : ready.length > 0 ? ready : candidates
}

export function pageOf(app: RoutedApp): 'stopped' | 'starting' | 'down' {
  if (app.status === 'building' || app.status === 'deploying') return 'starting'
  return app.wanted === 'stopped' || app.status === 'stopped' ? 'stopped' : 'down'
}

/** The targets of releases that are not live but still running, for example after a crash: those of each release at each port. */
export function strayTargets(
  app: RoutedApp,
  { ports, ...known }: Pick<Known, 'containers' | 'network'> & { ports: ReadonlySet<number | null> },
): EdgeTarget[][] {
  const strays = runningIn(known).filter(({ owner }) => owner.deploymentId !== app.activeId)
  const byRelease = Map.groupBy(strays, ({ owner }) => `${owner.deploymentId} ${owner.service}`)
  return [...byRelease.values()].flatMap((some) =>
    [...ports].flatMap((port) => (port === null ? [] : [some.map(({ ips }) => ({ ip: ips[known.network] ?? '', port }))])),
  )
}

/** The app's own first, with or without a host. */
export function endpointsIn(domains: readonly RoutedDomain[], base?: string): Endpoint[] {
  const byPlace = Map.groupBy(domains, ({ service, port }) => `${service}:${service === '' ? '' : port}`)
  const own = byPlace.get(':') ?? []
  const others = [...byPlace.values()].filter((some) => some !== own)
  const endpointOf = (some: readonly RoutedDomain[], { service, port }: Pick<Endpoint, 'service' | 'port'>): Endpoint => ({
    service,
    port,
    hosts: some.map(({ host, redirectHttps, hsts }) => ({
      host,
      redirectHttps,
      hsts,
      ...(isBelow(host, base) && { hasNeighbours: true }),
    })),
  })
  return [endpointOf(own, { service: '', port: null }), ...others.map((some) => endpointOf(some, some[0] ?? { service: '', port: null }))]
}

function isBelow(host: string, base: string | undefined): boolean {
  return base !== undefined && (host === base || host.endsWith(`.${base}`))
}

/** The edge counts all endpoints of an app as that app: it ignores what comes after the underscore. */
export function endpointKey(appKey: string, { service, port }: Pick<Endpoint, 'service' | 'port'>): string {
  return service === '' ? appKey : `${appKey}_${hash('sha256', `${service}:${port}`, 'hex').slice(0, 12)}`
}
