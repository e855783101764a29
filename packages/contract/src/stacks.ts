import Type, { type Static } from 'typebox'
import { expects, Id, Nullable, OneOf, Time } from './fields.ts'

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
const ServicePort = Type.Object({
  container: Type.Integer(),
  protocol: OneOf(['tcp', 'udp']),
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
  /** For the live log; empty without a container. */
  containerId: Type.String(),
  /** In percent of one core. */
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
