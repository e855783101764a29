import { ROLES, type Role } from '@berth/contract'
import { type Caller, isStaff } from '../../domain/caller.ts'
import { findUser } from '../../domain/rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import type { Tx } from '../../store/database.ts'
import { createUnlessTaken } from '../../store/unless-taken.ts'
import { countPeople } from './store.ts'

export function isAbove(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) > ROLES.indexOf(other)
}

/** Nobody can grant a role above their own, and `owner` cannot be granted at all. */
export function checkGrant(caller: Caller, role: Role): void {
  if (isAbove(role, caller.role) || role === 'owner') throw new AppError('role_too_high')
}

/** The caller with their role of this moment: while a password was hashed, they may have lost it. */
export async function callerNow(tx: Tx, caller: Caller): Promise<Caller> {
  const user = await findUser(tx, caller.id)
  if (!user || !isStaff(user)) throw new AppError('not_allowed')
  return { ...caller, role: user.role }
}

export async function refuseTooManyPeople(tx: Tx): Promise<void> {
  refuseBeyond(QUOTAS.people, await countPeople(tx), { field: 'email', who: 'the server', what: 'users and open invitations' })
}

export const unlessTaken = createUnlessTaken('user.email', 'email_taken')
