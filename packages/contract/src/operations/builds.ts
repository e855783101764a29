import { AppOnly, NewBuildPlanRequest } from '../applications.ts'
import { BuildPlan, PlannedBuild } from '../build-plan.ts'
import { ById } from '../ids.ts'
import { operation } from '../operation.ts'

/** How apps are built. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const buildOperations = {
  'deployments.plan': operation({
    summary: 'Get the build plan of a deployment: what was built and why, with its Dockerfile',
    method: 'GET', path: '/api/deployments/:id/plan', may: 'member of the deployment', params: ById, answer: BuildPlan,
  }),
  'builds.plan': operation({
    summary: 'Get the build plan of the next deployment of an app, from its settings and the newest commit of its branch',
    method: 'POST', path: '/api/apps/build/plan', may: 'member of the app', body: AppOnly, answer: PlannedBuild,
  }),
  'builds.planNew': operation({
    summary: 'Get the build plan of a repository that has no app yet',
    method: 'POST', path: '/api/apps/build/plan-new', may: 'member of the project', body: NewBuildPlanRequest, answer: PlannedBuild,
  }),
} as const
