import { BuildPlan } from '../build-plan.ts'
import { ById } from '../ids.ts'
import { operation } from '../operation.ts'

/** How applications are built. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const buildOperations = {
  'deployments.plan': operation({
    summary: 'What the build of a deployment was decided to be, and why, with its Dockerfile',
    method: 'GET', path: '/api/deployments/:id/plan', may: 'member of the deployment', params: ById, answer: BuildPlan,
  }),
} as const
