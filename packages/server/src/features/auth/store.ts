import type { UserRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'

export async function findUserByEmail(db: Reader, email: string): Promise<UserRow | undefined> {
  return await db.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst()
}

export async function setPassword(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx.updateTable('user').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
}

type NewSession = { id: string; userId: number; at: Date; expiresAt: Date; address: string; client: string }

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  const { id, userId: user_id, address, client } = session
  await tx
    .insertInto('session')
    .values({ id, user_id, created_at: session.at.toISOString(), expires_at: session.expiresAt.toISOString(), address, client })
    .execute()
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('session').where('id', '=', id).execute()
}

export async function deleteOtherSessions(tx: Tx, userId: number, keptId: string): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('session').where('user_id', '=', userId).where('id', '!=', keptId).executeTakeFirst()
  return Number(numDeletedRows)
}

type SessionRow = { id: string; created_at: string; expires_at: string; address: string; client: string }

export async function listSessions(db: Reader, userId: number, at: Date): Promise<SessionRow[]> {
  return await db
    .selectFrom('session')
    .select(['id', 'created_at', 'expires_at', 'address', 'client'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', at.toISOString())
    .orderBy('created_at', 'desc')
    .execute()
}

export async function deleteExpiredSessions(tx: Tx, at: Date): Promise<void> {
  await tx.deleteFrom('session').where('expires_at', '<=', at.toISOString()).execute()
}

/** All but the newest sessions of a person, and this one. */
export async function deleteSessionsBeyond(tx: Tx, userId: number, most: number, keptId: string): Promise<void> {
  const newest = tx.selectFrom('session').select('id').where('user_id', '=', userId).orderBy('created_at', 'desc').limit(most)
  await tx.deleteFrom('session').where('user_id', '=', userId).where('id', '!=', keptId).where('id', 'not in', newest).execute()
}

const LOOKED_THROUGH = 50_000

/** Addresses of past logins, oldest first, from the newest part of the audit log, which may be long. */
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
