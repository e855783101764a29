import Type from 'typebox'
import { AppOnly } from '../applications.ts'
import { ContainerMessage } from '../containers.ts'
import { operation } from '../operation.ts'
import { AppPort, ClosePort, OpenPort } from '../ports.ts'
import {
  ComposeFile,
  ComposeFileChange,
  NewStackPlanRequest,
  RunningFile,
  ServiceOnly,
  StackPlan,
  StackPlanRequest,
  StackServices,
} from '../stacks.ts'

/** The services of compose apps. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const stackOperations = {
  'stacks.services': operation({
    summary: 'List the services of a compose app: state, image, health, CPU and memory, volumes, ports and domains',
    method: 'GET', path: '/api/apps/services', may: 'member of the app', query: AppOnly, answer: StackServices,
  }),
  'stacks.startService': operation({
    summary: 'Start one service of a compose app',
    method: 'POST', path: '/api/apps/services/start', may: 'member of the app', body: ServiceOnly, answer: ContainerMessage,
  }),
  'stacks.stopService': operation({
    summary: 'Stop one service of a compose app until it is started or the app is deployed again',
    method: 'POST', path: '/api/apps/services/stop', may: 'member of the app', body: ServiceOnly, answer: ContainerMessage,
  }),
  'stacks.restartService': operation({
    summary: 'Restart one service of a compose app',
    method: 'POST', path: '/api/apps/services/restart', may: 'member of the app', body: ServiceOnly, answer: ContainerMessage,
  }),
  'stacks.ports': operation({
    summary: 'List the ports of a compose app: those that are open on the server, and those that its file publishes',
    method: 'GET', path: '/api/apps/ports', may: 'member of the app', query: AppOnly, answer: Type.Array(AppPort),
  }),
  'stacks.openPort': operation({
    summary: 'Open a port of the server that leads to a service of a compose app, from the next deployment on',
    method: 'POST', path: '/api/apps/ports/open', may: 'owner of the app', body: OpenPort, answer: Type.Array(AppPort),
  }),
  'stacks.closePort': operation({
    summary: 'Close a port of the server that leads to a service of a compose app, from the next deployment on',
    method: 'POST', path: '/api/apps/ports/close', may: 'owner of the app', body: ClosePort, answer: Type.Array(AppPort),
  }),
  'stacks.plan': operation({
    summary: 'Get what a deployment would run from the compose file of an app, or from a given one: services, notes, refusals and variables',
    method: 'POST', path: '/api/apps/compose/plan', may: 'member of the app', body: StackPlanRequest, answer: StackPlan, bodyLimit: 2_000_000,
  }),
  'stacks.planNew': operation({
    summary: 'Get what a deployment would run from a compose file that has no app yet, in a repository or given',
    method: 'POST', path: '/api/apps/compose/plan-new', may: 'member of the project', body: NewStackPlanRequest, answer: StackPlan, bodyLimit: 2_000_000,
  }),
  'stacks.running': operation({
    summary: 'Get the compose file of the live release: as it was written, as Berth read it, what was ignored or changed, and how it differs from the release before',
    method: 'GET', path: '/api/apps/compose/running', may: 'member of the app', query: AppOnly, answer: RunningFile,
  }),
  'stacks.file': operation({
    summary: 'Get the compose file of an app without a repository; empty if it has none',
    method: 'GET', path: '/api/apps/compose/file', may: 'member of the app', query: AppOnly, answer: ComposeFile,
  }),
  'stacks.setFile': operation({
    summary: 'Set the compose file of an app without a repository; one that a deployment would refuse is refused with every reason',
    method: 'PUT', path: '/api/apps/compose/file', may: 'owner of the app', body: ComposeFileChange, answer: StackPlan, bodyLimit: 2_000_000,
  }),
} as const
