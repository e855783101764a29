import { ROLES, type Role } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
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

export async function refuseTooManyPeople(tx: Tx): Promise<void> {
  refuseBeyond(QUOTAS.people, await countPeople(tx), { field: 'email', who: 'the server', what: 'users and open invitations' })
}

export const unlessTaken = createUnlessTaken('user.email', 'email_taken')
