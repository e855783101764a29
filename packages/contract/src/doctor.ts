import Type, { type Static } from 'typebox'
import { OneOf } from './fields.ts'

const FINDING_LEVELS = ['ok', 'warning', 'problem'] as const

/** What a check of the machine found, and what to do about it; empty if there is nothing to do. */
export const Finding = Type.Object({ check: Type.String(), level: OneOf(FINDING_LEVELS), message: Type.String(), toDo: Type.String() })
export type Finding = Static<typeof Finding>
