import { SpecRefused } from '../../../../engine/api/errors.ts'
import type { ComposePlan } from '../../../../engine/compose/stack.ts'
import { assertStackAllowed, stackRequest } from '../../../../engine/stack-spec.ts'
import { DeploymentFailure } from '../../run/stage.ts'
import { refuseTooLong, releaseLabels } from './plan.ts'
import { refuseTooMuchPlaced } from './plan-files.ts'
import { stackSpecOf } from './start-service.ts'

type Owner = { instance: string; projectId: number; appId: number; deploymentId: number }

/**
 * Everything that can be refused before minutes are spent on the build. What is placed is counted first: a file of a few kilobytes can place a
 * long text thousands of times, and everything else writes it out.
 */
export function refusePlan(owner: Owner, plan: ComposePlan, blobs: ReadonlyMap<string, Buffer>): void {
  refuseTooMuchPlaced(plan, blobs)
  refuseTooLong(plan)
  refuseNotAllowed(owner, plan)
}

/** Runs the final check of each container now, while the previous release still serves. */
export function refuseNotAllowed({ deploymentId, ...owner }: Owner, plan: ComposePlan): void {
  const labels = releaseLabels(plan, deploymentId)
  for (const service of plan.services)
    try {
      assertStackAllowed(stackRequest(stackSpecOf(owner, service, { release: labels.get(service.name) ?? '' })))
    } catch (cause) {
      if (!(cause instanceof SpecRefused)) throw cause
      throw new DeploymentFailure(`The service "${service.name}" cannot run as described in the compose file. ${cause.message}`, { cause })
    }
}
