import Type, { type Static } from 'typebox'
import { Nullable, OneOf, Time } from './fields.ts'

export const Version = Type.Object({ version: Type.String(), commit: Type.String(), startedAt: Time })
export type Version = Static<typeof Version>
export const Cleared = Type.Object({ cleared: Type.Boolean() })
export const UpdateCheck = Type.Object({
  current: Type.String(),
  latest: Type.String(),
  available: Type.Boolean(),
  notes: Type.String(),
  publishedAt: Nullable(Time),
})
export type UpdateCheck = Static<typeof UpdateCheck>

const UPDATE_STATES = ['idle', 'in_progress', 'succeeded', 'failed'] as const
export const UpdateStatus = Type.Object({
  state: OneOf(UPDATE_STATES),
  from: Type.String(),
  to: Type.String(),
  phase: Type.String(),
  startedAt: Nullable(Time),
  error: Type.String(),
})
export type UpdateStatus = Static<typeof UpdateStatus>
