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
  checkedAt: Time,
  /** Why this instance cannot be updated from here, and how it is updated instead; otherwise empty. */
  message: Type.String(),
})
export type UpdateCheck = Static<typeof UpdateCheck>

const UPDATE_STATES = ['idle', 'in_progress', 'succeeded', 'failed'] as const
export const UpdateStatus = Type.Object({
  state: OneOf(UPDATE_STATES),
  from: Type.String(),
  to: Type.String(),
  phase: Type.String(),
  startedAt: Nullable(Time),
  endedAt: Nullable(Time),
  error: Type.String(),
  log: Type.Array(Type.String()),
})
export type UpdateStatus = Static<typeof UpdateStatus>

/** Newest first. `by` is empty for one that Berth began by itself. */
export const UpdateHistory = Type.Array(
  Type.Object({
    from: Type.String(),
    to: Type.String(),
    by: Type.String(),
    state: OneOf(['succeeded', 'failed'] as const),
    startedAt: Time,
    endedAt: Nullable(Time),
    error: Type.String(),
    log: Type.Array(Type.String()),
  }),
)
export type UpdateHistory = Static<typeof UpdateHistory>
