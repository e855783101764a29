import Type, { type Static } from 'typebox'
import { OneOf } from './fields.ts'

/** `message` says what is wrong and what to do, if anything. */
const messages = Type.Record(Type.String(), Type.String())

export const Health = Type.Object({
  status: OneOf(['ok', 'degraded']),
  version: Type.String(),
  uptime: Type.Integer(),
  checks: Type.Object({
    database: OneOf(['ok', 'read_only', 'unusable']),
    engine: OneOf(['ok', 'unreachable', 'provisioning']),
    edge: OneOf(['ok', 'unreachable', 'starting', 'off']),
    queue: OneOf(['ok', 'stalled']),
  }),
  messages,
})
export type Health = Static<typeof Health>
