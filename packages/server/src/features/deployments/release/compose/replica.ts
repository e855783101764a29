import type { StackService } from '../../../../engine/compose/stack.ts'
import { volumeOfReplica } from '../../../../engine/compose/volume-names.ts'
import { STAND_IN } from '../../../../engine/labels.ts'

/**
 * The numbers of the containers of a service. A port of the machine can have only one owner: where the first container of a service needs
 * one that the release before still has, another container without ports serves in its place.
 */
export function replicasOf({ replicas = 1, ports }: StackService, isBeside = false): number[] {
  const numbers = Array.from({ length: replicas }, (_, index) => index + 1)
  return isBeside && ports.length > 0 ? [...numbers.slice(1), STAND_IN] : numbers
}

/** One container of a service. The first has the ports of the machine; the others have anonymous volumes of their own. */
export function replicaOf(service: StackService, replica: number, prefix: string): StackService {
  if (replica === 1) return service
  const mounts = service.mounts.map((mount) => ({ ...mount, volume: volumeOfReplica(prefix, mount.volume, replica) }))
  return { ...service, ports: [], mounts }
}
