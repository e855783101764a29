import Type, { type Static } from 'typebox'
import { APP_STATUSES } from './applications.ts'
import { DEPLOYMENT_STATUSES } from './deployments.ts'
import { Id, OneOf, Time } from './fields.ts'
import { ServerMetrics } from './metrics.ts'

const inProject = { projectId: Id }
const inApp = { projectId: Id, appId: Id }

/** Every event of the log. An event says what changed, and a reader asks for the thing itself. */
export const EVENTS = {
  'project.created': Type.Object(inProject),
  'project.updated': Type.Object(inProject),
  /** Its members cannot be looked up any more. Events that older versions have written do not name them. */
  'project.deleted': Type.Object({ ...inProject, memberIds: Type.Optional(Type.Array(Id)) }),
  'project.members_changed': Type.Object({ ...inProject, removedUserIds: Type.Array(Id) }),
  'project.env_changed': Type.Object(inProject),
  'app.created': Type.Object(inApp),
  'app.updated': Type.Object(inApp),
  'app.deleted': Type.Object(inApp),
  'app.status_changed': Type.Object({ ...inApp, status: OneOf(APP_STATUSES), reason: Type.String() }),
  'env.changed': Type.Object(inApp),
  'domain.changed': Type.Object({ ...inApp, domainId: Id }),
  'deployment.created': Type.Object({ ...inApp, deploymentId: Id }),
  'deployment.status_changed': Type.Object({
    ...inApp,
    deploymentId: Id,
    status: OneOf(DEPLOYMENT_STATUSES),
    stage: Type.String(),
    /** The step that runs, or the last one; empty before the first. */
    step: Type.String(),
    progress: Type.Integer(),
    errorMessage: Type.String(),
  }),
  'user.changed': Type.Object({ userId: Id }),
  'settings.changed': Type.Object({}),
} as const

export type EventType = keyof typeof EVENTS
export type BerthEvent = { [T in EventType]: { seq: number; at: string; type: T; data: Static<(typeof EVENTS)[T]> } }[EventType]
export type NewEvent = { [T in EventType]: { type: T; data: Static<(typeof EVENTS)[T]> } }[EventType]

function Frame<const Name extends string, Data extends Type.TSchema>(type: Name, data: Data) {
  return Type.Object({ type: Type.Literal(type), timestamp: Time, data })
}

const DeploymentStatusFrame = Frame(
  'status',
  Type.Object({
    deployment_id: Id,
    status: OneOf(DEPLOYMENT_STATUSES),
    stage: Type.String(),
    progress: Type.Integer(),
    message: Type.String(),
    error_message: Type.String(),
  }),
)
const DeploymentLogFrame = Frame(
  'log',
  Type.Object({ line: Type.String(), n: Type.Integer(), stream: OneOf(['stdout', 'stderr', 'berth']) }),
)
const ErrorFrame = Frame('error', Type.Object({ message: Type.String() }))
const GapFrame = Frame('gap', Type.Object({ lines: Type.Integer() }))

export const DeploymentFrame = Type.Union([DeploymentStatusFrame, DeploymentLogFrame, ErrorFrame, GapFrame])
export type DeploymentFrame = Static<typeof DeploymentFrame>

export const ContainerFrame = Type.Union([
  Frame('status', Type.Object({ container: Type.String(), state: Type.String(), status: Type.String() })),
  Frame('log', Type.Object({ line: Type.String(), stream: OneOf(['stdout', 'stderr']), at: Type.String() })),
  Frame('end', Type.Object({ message: Type.String() })),
  GapFrame,
])
export type ContainerFrame = Static<typeof ContainerFrame>

/** As of one container, with the service and the replica that printed each line. `service` is empty for an app that has none. */
export const AppLogFrame = Type.Union([
  Frame(
    'log',
    Type.Object({
      line: Type.String(),
      stream: OneOf(['stdout', 'stderr']),
      at: Type.String(),
      service: Type.String(),
      replica: Type.Integer(),
    }),
  ),
  Frame('end', Type.Object({ message: Type.String() })),
  GapFrame,
])
export type AppLogFrame = Static<typeof AppLogFrame>

export const MetricsFrame = Frame('metrics', ServerMetrics)
export type MetricsFrame = Static<typeof MetricsFrame>

/** One event of the log; `seq` is the cursor to resume from. */
export const EventFrame = Type.Object({
  type: Type.String(),
  timestamp: Time,
  seq: Type.Integer(),
  data: Type.Record(Type.String(), Type.Unknown()),
})
export type EventFrame = Static<typeof EventFrame>
