import { isStaff } from '../../../domain/caller.ts'
import { findUser } from '../../../domain/rows.ts'
import type { Reader } from '../../../store/database.ts'

/** Checked for each deployment, so that the current role counts. A deleted user has no rights. */
export function createIsPrivileged(db: Reader) {
  return async function isPrivileged(userId: number | null): Promise<boolean> {
    const user = userId === null ? undefined : await findUser(db, userId)
    return user !== undefined && isStaff(user)
  }
}
