import Type, { type Static } from 'typebox'
import { expects, Id, Nullable, Time } from './fields.ts'

export const AuditEntry = Type.Object({
  id: Id,
  at: Time,
  actorId: Nullable(Id),
  actorEmail: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  subjectId: Nullable(Id),
  before: Type.Unknown(),
  after: Type.Unknown(),
  address: Type.String(),
  requestId: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

const Moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T[\\d:.]{5,12}Z)?$',
  ...expects('a day such as 2026-01-31, or a time in UTC such as 2026-01-31T12:00:00Z'),
})

export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, lenient: true, ...expects('a whole number between 1 and 500') })),
  before: Type.Optional(Id),
  action: Type.Optional(Type.String({ maxLength: 100, ...expects('the beginning of an action such as "app."') })),
  actorId: Type.Optional(Id),
  search: Type.Optional(Type.String({ maxLength: 200, ...expects('part of an email, an action, an address or what changed') })),
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
})
