import { AppOnly, NewBuildPlanRequest } from '../applications.ts'
import { BuildPlan, PlannedBuild } from '../build-plan.ts'
import { ById } from '../ids.ts'
import { operation } from '../operation.ts'

/** How apps are built. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const buildOperations = {
  'deployments.plan': operation({
    summary: 'What the build of a deployment was decided to be, and why, with its Dockerfile',
    method: 'GET', path: '/api/deployments/:id/plan', may: 'member of the deployment', params: ById, answer: BuildPlan,
  }),
  'builds.plan': operation({
    summary: 'What the next deployment of an app would build, with its settings and the newest commit of its branch',
    method: 'POST', path: '/api/apps/build/plan', may: 'member of the app', body: AppOnly, answer: PlannedBuild,
  }),
  'builds.planNew': operation({
    summary: 'What a deployment would build from a repository of which there is no app yet',
    method: 'POST', path: '/api/apps/build/plan-new', may: 'member of the project', body: NewBuildPlanRequest, answer: PlannedBuild,
  }),
} as const
