import type { EdgeTarget } from '../edge/edge.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { RoutedApp } from './store.ts'

type Known = {
  /** The app's own. */
  containers: readonly ContainerSummary[]
  network: string
  /** The port of the live release. */
  port: number | null
  /** A release that is being put in place. */
  ahead: EdgeTarget | undefined
}

/** Where the visitors of an app go, and where from what fails while a new release is on trial. Nowhere means that they get a page. */
export function targetsOf(app: RoutedApp, known: Known): { targets: EdgeTarget[]; fallback: EdgeTarget[] } {
  const { network, ahead } = known
  const running = known.containers.filter((container) => container.state === 'running' && (container.ips[network] ?? '') !== '')
  const live = liveTargets(app, { ...known, containers: running })
  // one that has died already gives way to what served before, without waiting for its deployment to notice
  const isAhead = ahead !== undefined && running.some((container) => container.ips[network] === ahead.ip)
  return isAhead ? { targets: [ahead], fallback: live } : { targets: live, fallback: [] }
}

function liveTargets(app: RoutedApp, { containers, network, port }: Known): EdgeTarget[] {
  if (app.activeId === null || port === null || app.wanted === 'stopped') return []
  return containers
    .filter((container) => container.owner.deploymentId === app.activeId)
    .map((container) => ({ ip: container.ips[network] ?? '', port }))
}

export function pageOf(app: RoutedApp): 'stopped' | 'starting' | 'down' {
  if (app.status === 'building' || app.status === 'deploying') return 'starting'
  return app.wanted === 'stopped' || app.status === 'stopped' ? 'stopped' : 'down'
}

/** Where a release that is not live and runs all the same could still be answering: a crash left it. */
export function strayTargets(
  app: RoutedApp,
  { containers, network, ports }: Pick<Known, 'containers' | 'network'> & { ports: ReadonlySet<number | null> },
): EdgeTarget[] {
  return containers
    .filter((container) => container.state === 'running' && container.owner.deploymentId !== app.activeId)
    .flatMap(({ ips }) => [...ports].flatMap((port) => (port === null || !ips[network] ? [] : [{ ip: ips[network], port }])))
}
