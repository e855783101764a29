import type { ContainerDetails } from '../../../../engine/container-state.ts'
import { outputSummary } from '../../../../lib/error-lines.ts'
import type { KeptOutput } from '../../log/kept-output.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { createLastOutput } from '../health/last-output.ts'

export type ServiceFailureDeps = { containers: Pick<AppContainers, 'printedBy' | 'endTimes'>; keptOutput: Pick<KeptOutput, 'keep'> }

/** Why a service keeps a release from starting: what happened to it, and its output. */
export function createServiceFailure(deps: ServiceFailureDeps) {
  const lastOutput = createLastOutput(deps)

  return async function serviceFailure(context: Context, details: ContainerDetails | null, words: string): Promise<DeploymentFailure> {
    const name = details?.owner.service ?? 'a service'
    const lastLines = details ? await lastOutput(context, { details, prefix: `${name}: ` }) : []
    return new DeploymentFailure(`The service "${name}" ${words}${outputSummary(lastLines)}`)
  }
}

export type ServiceFailure = ReturnType<typeof createServiceFailure>

export function whatHappened(details: ContainerDetails | null): string {
  if (details === null) return 'disappeared'
  if (details.state === 'running') return 'exited and was restarted'
  return details.exitCode === null ? `is ${details.state}` : `exited with code ${details.exitCode}`
}
