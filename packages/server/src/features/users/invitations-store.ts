import type { Insertable } from 'kysely'
import type { Reader, Tx } from '../../store/database.ts'
import type { InvitationTable } from '../../store/people-tables.ts'

const SHOWN = [
  'invitation.id',
  'invitation.email',
  'invitation.role',
  'invitation.created_at',
  'invitation.expires_at',
  'user.email as invited_by_email',
] as const

export async function listInvitations(db: Reader, at: Date) {
  return await db
    .selectFrom('invitation')
    .innerJoin('user', 'user.id', 'invitation.invited_by')
    .select(SHOWN)
    .where('expires_at', '>', at.toISOString())
    .orderBy('invitation.id', 'desc')
    .execute()
}

/** Replaces an earlier invitation for the same email. Expired ones are deleted too. */
export async function putInvitation(tx: Tx, invitation: Insertable<InvitationTable>, at: Date): Promise<number> {
  await tx
    .deleteFrom('invitation')
    .where((eb) => eb.or([eb('email', '=', invitation.email), eb('expires_at', '<=', at.toISOString())]))
    .execute()
  const { id } = await tx.insertInto('invitation').values(invitation).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function findInvitation(db: Reader, tokenHash: string, at: Date) {
  return await db
    .selectFrom('invitation')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', at.toISOString())
    .executeTakeFirst()
}

export async function deleteInvitation(tx: Tx, id: number): Promise<{ email: string } | undefined> {
  return await tx.deleteFrom('invitation').where('id', '=', id).returning('email').executeTakeFirst()
}

/** Deletes the invitations of somebody whose role was changed. */
export async function deleteInvitationsBy(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('invitation').where('invited_by', '=', userId).execute()
}

/** Deletes the invitations for these addresses: an account that was created or deleted in another way must not come back by a link. */
export async function deleteInvitationsFor(tx: Tx, emails: readonly string[]): Promise<void> {
  await tx.deleteFrom('invitation').where('email', 'in', emails).execute()
}

export async function isUser(db: Reader, email: string): Promise<boolean> {
  return (await db.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst()) !== undefined
}
