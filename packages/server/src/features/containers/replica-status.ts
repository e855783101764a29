import type { AppProcess, ContainerStatus } from '@berth/contract'
import type { ContainerSummary } from '../../engine/container-state.ts'

/** The state of several containers that do the same. */
export function statusOfReplicas(containers: readonly ContainerSummary[], wanted: number): ContainerStatus {
  const running = containers.filter(({ state }) => state === 'running')
  const first = running[0] ?? containers[0]
  return {
    state: first?.state ?? '',
    status: `${running.length} of ${wanted} replicas running`,
    id: first?.id ?? '',
    replicas: containers.map(replicaOf),
  }
}

/** The processes beside the main one; nothing if the release has none. */
export function statusOfProcesses(
  containers: readonly ContainerSummary[],
  wanted: readonly AppProcess[],
): Pick<ContainerStatus, 'processes'> {
  if (wanted.length === 0) return {}
  const processes = wanted.map(({ name, command, replicas }) => {
    const own = containers.filter(({ owner }) => owner.service === name)
    const running = own.filter(({ state }) => state === 'running').length
    return { name, command, wanted: replicas, status: `${running} of ${replicas} running`, replicas: own.map(replicaOf) }
  })
  return { processes }
}

function replicaOf({ id, state, status, owner, server }: ContainerSummary) {
  return { replica: owner.replica, id, state, status, ...(server !== undefined && { server }) }
}
