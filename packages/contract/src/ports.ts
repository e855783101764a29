import Type, { type Static } from 'typebox'
import { expects, Id, OneOf, Port, Time } from './fields.ts'
import { ServiceName } from './stacks.ts'

const Protocol = OneOf(['tcp', 'udp'])

/** A port of the server that leads to a service of a compose app. */
export const PublishedPort = Type.Object({
  port: Type.Integer(),
  protocol: Protocol,
  /** Empty where a release of an earlier version opened it by itself. */
  service: Type.String(),
  /** The port of the service. */
  target: Type.Integer(),
  /** `0.0.0.0` is every address of the server. */
  address: Type.String(),
  /** False where somebody closed it; it is open until the next release is live. */
  isWanted: Type.Boolean(),
  appId: Id,
  appName: Type.String(),
  projectId: Id,
  projectName: Type.String(),
  since: Time,
})
export type PublishedPort = Static<typeof PublishedPort>

export const LOWEST_HOST_PORT = 1024
export const MOST_OPEN_PORTS = 20
export const LOOPBACK = '127.0.0.1'

const Place = { appId: Id, service: ServiceName, port: Port, protocol: Type.Optional(Protocol) }
export const ClosePort = Type.Object(Place)
/** Without `address` only programs on the server itself reach it. */
export const OpenPort = Type.Object({
  ...Place,
  hostPort: Type.Integer({ minimum: LOWEST_HOST_PORT, maximum: 65_535, lenient: true, ...expects('a port between 1024 and 65535') }),
  address: Type.Optional(
    Type.String({
      maxLength: 15,
      pattern: '^((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.|$)){4}$',
      ...expects('an IPv4 address of the server: 127.0.0.1 for programs on it, 0.0.0.0 for everybody'),
    }),
  ),
})

/** A port of a service: one that is open, one that will be with the next deployment, or one that the file publishes. */
export const AppPort = Type.Object({
  service: Type.String(),
  port: Type.Integer(),
  protocol: Protocol,
  hostPort: Type.Integer(),
  address: Type.String(),
  /** Whether somebody opened it. Deployments follow this. */
  isOn: Type.Boolean(),
  /** Whether it is open in the live release. */
  isOpen: Type.Boolean(),
})
export type AppPort = Static<typeof AppPort>
