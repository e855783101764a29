import type { ContainerStatus } from '@berth/contract'
import type { ContainerSummary } from '../../engine/container-state.ts'

/** The state of several containers that do the same. */
export function statusOfReplicas(containers: readonly ContainerSummary[], wanted: number): ContainerStatus {
  const running = containers.filter(({ state }) => state === 'running')
  const first = running[0] ?? containers[0]
  return {
    state: first?.state ?? '',
    status: `${running.length} of ${wanted} replicas running`,
    id: first?.id ?? '',
    replicas: containers.map(({ id, state, status, owner }) => ({ replica: owner.replica, id, state, status })),
  }
}
