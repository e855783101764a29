import type { Reader, Tx } from '../../store/database.ts'
import type { Failures } from './slow-down.ts'

export async function findLoginDelay(db: Reader, slot: number): Promise<Failures> {
  const row = await db.selectFrom('login_delay').selectAll().where('slot', '=', slot).executeTakeFirst()
  return row ? { count: row.failures, lastAt: new Date(row.failed_at).getTime() } : { count: 0, lastAt: 0 }
}

export async function putLoginDelay(tx: Tx, slot: number, { count, lastAt }: Failures): Promise<void> {
  const row = { failures: count, failed_at: new Date(lastAt).toISOString() }
  await tx
    .insertInto('login_delay')
    .values({ slot, ...row })
    .onConflict((conflict) => conflict.column('slot').doUpdateSet(row))
    .execute()
}

export async function deleteLoginDelay(tx: Tx, slot: number): Promise<void> {
  await tx.deleteFrom('login_delay').where('slot', '=', slot).execute()
}

export async function forgetLoginDelays(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('login_delay').where('failed_at', '<', before.toISOString()).execute()
}
