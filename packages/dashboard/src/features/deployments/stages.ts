import { type Deployment, type DeploymentStep, STAGES, STEPS, type Stage, type StepName } from '@berth/contract'
import { isRunning, STEP_WORDS } from '../../lib/status.ts'

export type Mark = 'done' | 'now' | 'failed' | 'cancelled' | 'next'
type Shown = { name: string; mark: Mark; seconds?: number; startedAt?: string }
type Known = Pick<Deployment, 'stage' | 'status' | 'steps' | 'trigger'>

/** The steps of deployments from before steps were recorded, by the stage that they ended in. */
const LAST_OF_STAGE = {
  cloning_repo: 'source',
  building_image: 'build',
  stopping_old: 'start',
  starting_new: 'health',
  completed: 'switch',
} as const satisfies Record<Stage, StepName>

/** Those that a deployment goes through: a rollback builds nothing, and a database has no source. */
function ownSteps({ trigger }: Known, isDatabase: boolean): readonly StepName[] {
  if (trigger === 'rollback') return STEPS.filter((step) => step !== 'source' && step !== 'build' && !(isDatabase && step === 'switch'))
  return isDatabase ? STEPS.filter((step) => step !== 'source' && step !== 'switch') : STEPS
}

function reachedOf({ steps, stage }: Known): StepName | undefined {
  const last = steps?.at(-1)?.name
  if (last !== undefined) return last
  const known = STAGES.find((each) => each === stage)
  return known && LAST_OF_STAGE[known]
}

function markOf(step: StepName, deployment: Known): Mark {
  const { status } = deployment
  if (status === 'success' || status === 'rolled_back') return 'done'
  const reached = reachedOf(deployment)
  const at = reached === undefined ? -1 : STEPS.indexOf(reached)
  const own = STEPS.indexOf(step)
  if (own !== at) return own < at ? 'done' : 'next'
  if (isRunning(status)) return 'now'
  return status === 'stopped' ? 'cancelled' : 'failed'
}

function timeOf(step: DeploymentStep | undefined): Pick<Shown, 'seconds' | 'startedAt'> {
  if (!step) return {}
  return step.seconds === null ? { startedAt: step.started_at } : { seconds: step.seconds }
}

/** What a deployment does, in its true order, and how far it is. */
export function stagesOf(deployment: Known, isDatabase: boolean): Shown[] {
  const own = ownSteps(deployment, isDatabase).map((step): Shown => {
    const name = step === 'build' && isDatabase ? 'Pull image' : STEP_WORDS[step]
    return { name, mark: markOf(step, deployment), ...timeOf(deployment.steps?.find((each) => each.name === step)) }
  })
  const isLive = deployment.status === 'success' || deployment.status === 'rolled_back'
  return [...own, { name: 'Live', mark: isLive ? 'done' : 'next' }]
}
