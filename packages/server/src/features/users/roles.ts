import { ROLES, type Role } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import { AppError } from '../../lib/app-error.ts'
import { isUniqueViolation } from '../../store/storage-failure.ts'

export function isAbove(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) > ROLES.indexOf(other)
}

/** Nobody can grant a role above their own, and `owner` cannot be granted at all. */
export function checkGrant(caller: Caller, role: Role): void {
  if (isAbove(role, caller.role) || role === 'owner') throw new AppError('role_too_high')
}

export async function unlessTaken<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (cause) {
    if (isUniqueViolation(cause, 'user.email')) throw new AppError('email_taken', { cause })
    throw cause
  }
}
