import Type from 'typebox'
import {
  ComparisonRequest,
  Deployment,
  DeploymentComparison,
  DeploymentOnly,
  DeploymentsQuery,
  NewDeployment,
  QueuedDeployment,
  SuggestionChoice,
} from '../deployments.ts'
import { ById } from '../ids.ts'
import { operation } from '../operation.ts'

/** Deployments, from the first to a rollback. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const deploymentOperations = {
  'deployments.add': operation({
    summary: 'Deploy the newest commit, a given commit, the image or the template of an app',
    method: 'POST', path: '/api/deployment/add', may: 'member of the app', body: NewDeployment, answer: QueuedDeployment, shape: 'bare',
  }),
  'deployments.listByApp': operation({
    summary: 'List the deployments of an app, newest first, all or by page',
    method: 'POST', path: '/api/deployment/getByAppId', may: 'member of the app', body: DeploymentsQuery, answer: Type.Array(Deployment), message: 'Deployments retrieved successfully',
  }),
  'deployments.log': operation({
    summary: 'Get the build log written so far',
    method: 'GET', path: '/api/deployment/logs/:deploymentId', may: 'member of the deployment', params: DeploymentOnly, shape: 'text',
  }),
  'deployments.create': operation({
    summary: 'Deploy; like deployment/add, but the response has the usual envelope',
    method: 'POST', path: '/api/deployments/create', may: 'member of the app', body: NewDeployment, answer: Deployment,
  }),
  'deployments.list': operation({
    summary: 'List the deployments of an app, newest first, all or by page',
    method: 'POST', path: '/api/deployments/get', may: 'member of the app', body: DeploymentsQuery, answer: Type.Array(Deployment), message: 'Deployments retrieved successfully',
  }),
  'deployments.get': operation({
    summary: 'Get a deployment',
    method: 'GET', path: '/api/deployments/:id', may: 'member of the deployment', params: ById, answer: Deployment,
  }),
  'deployments.running': operation({
    summary: 'List the deployments that are queued or running, of all apps you can see',
    method: 'GET', path: '/api/deployment/running', may: 'signed in', answer: Type.Array(Deployment),
  }),
  'deployments.stop': operation({
    summary: 'Cancel a deployment',
    method: 'POST', path: '/api/deployment/stop', may: 'member of the deployment', body: DeploymentOnly, answer: Deployment,
  }),
  'deployments.rollback': operation({
    summary: 'Roll back to an earlier release',
    method: 'POST', path: '/api/deployment/rollback', may: 'member of the deployment', body: DeploymentOnly, answer: Deployment,
  }),
  'deployments.applySuggestion': operation({
    summary: 'Apply a fix that a failed deployment suggests, and deploy',
    method: 'POST', path: '/api/deployments/suggestions/apply', may: 'member of the deployment', body: SuggestionChoice, answer: Deployment,
  }),
  'deployments.compare': operation({
    summary: 'Compare two deployments of an app: settings, and variables by name',
    method: 'POST', path: '/api/deployments/compare', may: 'member of the deployment', body: ComparisonRequest, answer: DeploymentComparison,
  }),
} as const
