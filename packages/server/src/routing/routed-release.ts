import type { EdgeTarget } from '../edge/edge.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Target } from '../features/deployments/release/release.ts'
import type { Door } from './doors.ts'
import type { RoutedApp } from './store.ts'

type Known = {
  /** The app's own. */
  containers: readonly ContainerSummary[]
  network: string
  /** The port of the live release. */
  port: number | null
  /** A release that is being rolled out. */
  ahead: Target | undefined
}

type Place = Pick<Door, 'service' | 'port'>
const OWN: Place = { service: '', port: null }

/** The targets of an app, and the fallback while a new release is on trial. Without targets visitors get an error page. */
export function targetsOf(app: RoutedApp, known: Known, door: Place = OWN): { targets: EdgeTarget[]; fallback: EdgeTarget[] } {
  const { network } = known
  const running = known.containers.filter((container) => container.state === 'running' && (container.ips[network] ?? '') !== '')
  const live = liveTargets(app, { ...known, containers: running }, door)
  const ahead = aheadTarget(known.ahead, door)
  // if it has already died, the previous release takes over without waiting for the deployment to notice
  const isAhead = ahead !== undefined && running.some((container) => container.ips[network] === ahead.ip)
  return isAhead ? { targets: [ahead], fallback: live } : { targets: live, fallback: [] }
}

export function aheadTarget(ahead: Target | undefined, { service, port }: Place): EdgeTarget | undefined {
  if (ahead === undefined || (service === '' && ahead.isOfServices)) return undefined
  const ip = service === '' ? ahead.ip : ahead.services?.get(service)
  return ip === undefined ? undefined : { ip, port: port ?? ahead.port }
}

function liveTargets(app: RoutedApp, { containers, network, port: own }: Known, { service, port: given }: Place): EdgeTarget[] {
  const port = given ?? own
  if (app.activeId === null || port === null || app.wanted === 'stopped') return []
  const isBehind = ({ owner }: ContainerSummary) => owner.service === null || owner.service === (service || app.mainService)
  return containers
    .filter((container) => container.owner.deploymentId === app.activeId && isBehind(container))
    .map((container) => ({ ip: container.ips[network] ?? '', port }))
}

export function pageOf(app: RoutedApp): 'stopped' | 'starting' | 'down' {
  if (app.status === 'building' || app.status === 'deploying') return 'starting'
  return app.wanted === 'stopped' || app.status === 'stopped' ? 'stopped' : 'down'
}

/** The targets of releases that are not live but still running, for example after a crash. */
export function strayTargets(
  app: RoutedApp,
  { containers, network, ports }: Pick<Known, 'containers' | 'network'> & { ports: ReadonlySet<number | null> },
): EdgeTarget[] {
  return containers
    .filter((container) => container.state === 'running' && container.owner.deploymentId !== app.activeId)
    .flatMap(({ ips }) => [...ports].flatMap((port) => (port === null || !ips[network] ? [] : [{ ip: ips[network], port }])))
}
