import type { UserRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'

export async function findUserByEmail(db: Reader, email: string): Promise<UserRow | undefined> {
  return await db.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst()
}

export async function setPassword(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx.updateTable('user').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
}

export async function insertSession(tx: Tx, session: { id: string; userId: number; at: Date; expiresAt: Date }): Promise<void> {
  await tx
    .insertInto('session')
    .values({ id: session.id, user_id: session.userId, created_at: session.at.toISOString(), expires_at: session.expiresAt.toISOString() })
    .execute()
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('session').where('id', '=', id).execute()
}

export async function deleteOtherSessions(tx: Tx, userId: number, keptId: string): Promise<void> {
  await tx.deleteFrom('session').where('user_id', '=', userId).where('id', '!=', keptId).execute()
}

export async function deleteExpiredSessions(tx: Tx, at: Date): Promise<void> {
  await tx.deleteFrom('session').where('expires_at', '<=', at.toISOString()).execute()
}

const LOOKED_THROUGH = 50_000

/** Where people have logged in from, oldest first: of the newest part of the audit log, because it may be long. */
export async function listLoginAddresses(db: Reader): Promise<{ email: string; address: string }[]> {
  const newest = await db.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return await db
    .selectFrom('audit')
    .select(['actor_email as email', 'address'])
    .where('id', '>', (newest?.id ?? 0) - LOOKED_THROUGH)
    .where('action', '=', 'session.login')
    .groupBy(['actor_email', 'address'])
    .orderBy((eb) => eb.fn.max('id'))
    .execute()
}
