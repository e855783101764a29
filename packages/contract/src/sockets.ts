import Type, { type TObject, type TSchema } from 'typebox'
import { AppOnly } from './applications.ts'
import { Since, Tail } from './containers.ts'
import { DeploymentOnly } from './deployments.ts'
import { AppLogFrame, ContainerFrame, DeploymentFrame, EventFrame, MetricsFrame } from './events.ts'
import { expects } from './fields.ts'
import type { Policy } from './operation.ts'
import { ServiceName } from './stacks.ts'

type Socket = { path: string; may: Policy; summary: string; params?: TObject; query?: TObject; frame: TSchema }

const LineNumber = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  lenient: true,
  ...expects('a whole number of at least 0'),
})
const From = { from: Type.Optional(LineNumber) }
const ContainerId = Type.String({ minLength: 1, maxLength: 200, ...expects('the id of a container') })

/** Every WebSocket. Access is checked before the upgrade, by the same policies as HTTP. */
export const sockets = {
  'deployment.stream': {
    path: '/ws/deployment/logs',
    may: 'member of the deployment',
    frame: DeploymentFrame,
    query: Type.Object({ ...DeploymentOnly.properties, ...From }),
    summary: 'Follow the status and log of a deployment, from the beginning',
  },
  'deployment.streamById': {
    path: '/api/ws/deployment/:deploymentId',
    may: 'member of the deployment',
    frame: DeploymentFrame,
    params: DeploymentOnly,
    query: Type.Object(From),
    summary: 'Follow the status and log of a deployment, from the beginning',
  },
  'container.logs': {
    path: '/api/ws/logs/:containerId',
    may: 'member of the container',
    frame: ContainerFrame,
    params: Type.Object({ containerId: ContainerId }),
    query: Type.Object({ tail: Type.Optional(Tail), since: Type.Optional(Since) }),
    summary: 'Follow the log of a container',
  },
  'app.logs': {
    path: '/api/ws/app-logs/:appId',
    may: 'member of the app',
    frame: AppLogFrame,
    params: AppOnly,
    query: Type.Object({ service: Type.Optional(ServiceName), tail: Type.Optional(Tail), since: Type.Optional(Since) }),
    summary: 'Follow the logs of all containers of an app or of one service, as one stream: each line with its service and replica',
  },
  metrics: {
    path: '/api/ws/metrics',
    may: 'signed in',
    frame: MetricsFrame,
    summary: 'Follow the server metrics, every second',
  },
  events: {
    path: '/api/ws/events',
    may: 'signed in',
    frame: EventFrame,
    query: Type.Object({ after: Type.Optional(LineNumber) }),
    summary: 'Follow every change you can see; resumes after a cursor',
  },
} as const satisfies Record<string, Socket>

export type Sockets = typeof sockets
export type SocketName = keyof Sockets
