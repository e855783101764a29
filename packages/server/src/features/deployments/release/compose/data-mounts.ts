import type { ComposePlan, StackMount } from '../../../../engine/compose/stack.ts'
import { isContentVolume } from '../../../../engine/compose/volume-names.ts'
import { runsToItsEnd } from './plan.ts'
import { replicaOf, replicasOf } from './replica.ts'

/**
 * Where the services of a live release have their data. Volumes with files of the commit are filled again. A service that runs once is not
 * started again, so nothing is created for it. `prefix` is that of the app's volumes.
 */
export function dataMountsOf(plan: ComposePlan, prefix: string, stopped: ReadonlySet<string> = new Set()): StackMount[] {
  return plan.services
    .filter(({ name }) => !stopped.has(name) && !runsToItsEnd(plan, name))
    .flatMap((service) => replicasOf(service).flatMap((replica) => replicaOf(service, replica, prefix).mounts))
    .filter(({ volume }) => !isContentVolume(volume))
}
