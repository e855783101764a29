import { AppError } from '../lib/app-error.ts'
import type { Reader } from '../store/database.ts'
import { type Again, type Caller, isStaff } from './caller.ts'
import { findProject, isMember } from './rows.ts'

/** Whose an account is: a person's, or a project's. */
export type Ownership = { userId: number | null; projectId: number | null }

/** A new account belongs to the person who connects it, or to a project they are a member of. */
export async function ownershipOf(db: Reader, caller: Caller, projectId: number | null | undefined): Promise<Ownership> {
  if (projectId === undefined || projectId === null) return { userId: caller.id, projectId: null }
  const isOpen = isStaff(caller) ? (await findProject(db, projectId)) !== undefined : await isMember(db, projectId, caller.id)
  if (!isOpen) throw new AppError('project_not_found')
  return { userId: null, projectId }
}

/** The same again, in the transaction that saves the account: the host was asked in between. */
export async function ownershipNow(
  tx: Reader,
  again: Again,
  projectId: number | null | undefined,
): Promise<Ownership & { caller: Caller }> {
  const { caller } = await again(tx)
  return { caller, ...(await ownershipOf(tx, caller, projectId)) }
}
