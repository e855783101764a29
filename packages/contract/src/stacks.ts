import Type, { type Static } from 'typebox'
import { EnvMap, SourceFilesRequest } from './applications.ts'
import { expects, Id, Nullable, OneOf, Port, Time } from './fields.ts'

/** `finished` ran to its end with code 0; `missing` has no container, and is started again unless it was stopped. */
export const SERVICE_STATES = ['running', 'starting', 'unhealthy', 'restarting', 'stopped', 'finished', 'failed', 'missing'] as const
export type ServiceState = (typeof SERVICE_STATES)[number]

export const ServiceName = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: '^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$',
  ...expects('the name of a service in the compose file'),
})
export const ServiceOnly = Type.Object({ appId: Id, service: ServiceName })

const ServiceVolume = Type.Object({
  /** As in the storage of the app, which has its size. */
  name: Type.String(),
  path: Type.String(),
  readOnly: Type.Boolean(),
})
const Protocol = OneOf(['tcp', 'udp'])
const ServicePort = Type.Object({
  container: Type.Integer(),
  protocol: Protocol,
  /** The port of the machine, and the address that it is open on. */
  host: Type.Integer(),
  address: Type.String(),
})
export const StackService = Type.Object({
  name: Type.String(),
  state: OneOf(SERVICE_STATES),
  /** Why it is not running as it should; otherwise empty. */
  reason: Type.String(),
  /** In the engine's words: `Up 3 minutes`. */
  status: Type.String(),
  image: Type.String(),
  isBuilt: Type.Boolean(),
  /** Of its health check; empty where it has none. */
  health: OneOf(['', 'starting', 'healthy', 'unhealthy']),
  restarts: Type.Integer(),
  startedAt: Nullable(Time),
  /** The container that the state is of; empty without one. */
  containerId: Type.String(),
  /** How many containers it should have, and how many of them run. State, reason and health are of the one that is worst off. */
  replicas: Type.Integer(),
  runningReplicas: Type.Integer(),
  /** Of all its containers, in percent of one core. */
  cpu: Nullable(Type.Number()),
  memory: Nullable(Type.Integer()),
  memoryLimit: Nullable(Type.Integer()),
  volumes: Type.Array(ServiceVolume),
  ports: Type.Array(ServicePort),
  domains: Type.Array(Type.String()),
})
export type StackService = Static<typeof StackService>
/** In the order in which they start. `deploymentId` is null where nothing is live. */
export const StackServices = Type.Object({ deploymentId: Nullable(Id), services: Type.Array(StackService) })
export type StackServices = Static<typeof StackServices>

/** As long as a compose file may be. */
const ComposeText = Type.String({ minLength: 1, maxLength: 262_144, ...expects('a compose file of at most 262,144 characters') })

/** Without `composeFile` the one of the source is read. */
export const StackPlanRequest = Type.Object({
  appId: Id,
  composeFile: Type.Optional(ComposeText),
  port: Type.Optional(Nullable(Port)),
})
const { projectId, gitCloneUrl, gitBranch, gitProviderId, rootDirectory } = SourceFilesRequest.properties
/** Before there is an app: a repository, or a text. */
export const NewStackPlanRequest = Type.Object({
  projectId,
  gitCloneUrl: Type.Optional(gitCloneUrl),
  gitBranch,
  gitProviderId,
  rootDirectory,
  composeFile: Type.Optional(ComposeText),
  port: Type.Optional(Nullable(Port)),
  envVars: Type.Optional(EnvMap),
})
const PlannedService = Type.Object({
  name: Type.String(),
  /** Empty for one that is built. */
  image: Type.String(),
  isBuilt: Type.Boolean(),
  /** Whether visitors reach it: through the domains of the app, or through its own. */
  isRouted: Type.Boolean(),
  /** How many containers run it. */
  replicas: Type.Integer(),
  dependsOn: Type.Array(Type.String()),
  volumes: Type.Array(Type.Object({ path: Type.String(), readOnly: Type.Boolean() })),
  /** What the file wants open on the machine; it is opened where somebody opens it. */
  publishes: Type.Array(Type.Object({ container: Type.Integer(), protocol: Protocol, host: Type.Integer() })),
})
const PlannedVariable = Type.Object({
  name: Type.String(),
  /** The default in the file if the variable is not set; null if there is none. */
  default: Nullable(Type.String()),
  isRequired: Type.Boolean(),
  isSet: Type.Boolean(),
  /** What the file says about it. */
  message: Type.String(),
})
export const StackPlan = Type.Object({
  /** The name of the file in the repository; empty for a text. */
  file: Type.String(),
  /** Whether a deployment would take the file as it is. */
  isAccepted: Type.Boolean(),
  services: Type.Array(PlannedService),
  /** What is left out or changed, in sentences. */
  notes: Type.Array(Type.String()),
  /** Everything that speaks against the file: which key, why, and what to do instead. */
  refused: Type.Array(Type.Object({ key: Type.String(), reason: Type.String() })),
  variables: Type.Array(PlannedVariable),
})
export type StackPlan = Static<typeof StackPlan>

/** One setting of a service that changed. `before` is null if it was added, `after` if it was removed; without a `key`, the whole service. */
const StackChange = Type.Object({
  service: Type.String(),
  key: Type.String(),
  before: Nullable(Type.String()),
  after: Nullable(Type.String()),
})
export type StackChange = Static<typeof StackChange>

/** All empty where nothing is live. `source` is empty for a release of an earlier version. */
export const RunningFile = Type.Object({
  deploymentId: Nullable(Id),
  /** The name of the file in the repository; empty for a text. */
  file: Type.String(),
  /** As it was written. */
  source: Type.String(),
  /** As Berth read it, with every variable filled in. */
  running: Type.String(),
  /** What was left out or changed, in sentences. */
  notes: Type.Array(Type.String()),
  /** The release that was live before, and how this one differs from it; null if there was none, or if it is no longer kept. */
  previousId: Nullable(Id),
  changes: Type.Array(StackChange),
})
export type RunningFile = Static<typeof RunningFile>

export const ComposeFile = Type.Object({ composeFile: Type.String() })
export const ComposeFileChange = Type.Object({
  appId: Id,
  composeFile: Type.String({ maxLength: 262_144, ...expects('a compose file of at most 262,144 characters, or empty') }),
})
