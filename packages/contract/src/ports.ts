import Type, { type Static } from 'typebox'
import { Id, Time } from './fields.ts'

/** A host port that an app's compose file publishes. */
export const PublishedPort = Type.Object({
  port: Type.Integer(),
  protocol: Type.Union([Type.Literal('tcp'), Type.Literal('udp')]),
  appId: Id,
  appName: Type.String(),
  projectId: Id,
  projectName: Type.String(),
  since: Time,
})
export type PublishedPort = Static<typeof PublishedPort>
