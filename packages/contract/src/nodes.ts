import Type, { type Static } from 'typebox'
import { expects, Nullable, OneOf, Time } from './fields.ts'

/** One of several control planes on one database. */
export const ControlPlane = Type.Object({
  name: Type.String(),
  /** The one that answers. */
  isThis: Type.Boolean(),
  /** `stopped`: it ended in order. `away`: it has not been heard of for ten seconds. */
  state: OneOf(['running', 'stopped', 'away'] as const),
  version: Type.String(),
  /** The beginning of its current or its last run. Null if an earlier version of Berth began it. */
  startedAt: Nullable(Time),
  lastSeenAt: Time,
  /** Whether it runs what only one of them may run: repairs, polls, backups, metrics and others. */
  runsLoops: Type.Boolean(),
  /** The jobs that it works on, such as deployments. */
  jobs: Type.Integer(),
  /** Its proxy serves nobody: another node has stopped it, because it was gone, or it has not read the routes yet. */
  isEdgeStopped: Type.Boolean(),
})
export type ControlPlane = Static<typeof ControlPlane>

export const NodeOnly = Type.Object({
  name: Type.String({ maxLength: 63, pattern: '^[a-z0-9][a-z0-9-]*$', ...expects('the name of a node') }),
})
