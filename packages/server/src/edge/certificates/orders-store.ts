import type { Tx } from '../../store/database.ts'

/** Also forgets the orders of everybody that are older than `since`. */
export async function ordersOf(tx: Tx, ownerId: number, since: Date): Promise<string[]> {
  await tx.deleteFrom('certificate_order').where('ordered_at', '<=', since.toISOString()).execute()
  const rows = await tx.selectFrom('certificate_order').select('ordered_at').where('owner_id', '=', ownerId).orderBy('ordered_at').execute()
  return rows.map(({ ordered_at }) => ordered_at)
}

export async function insertOrder(tx: Tx, ownerId: number, at: Date): Promise<void> {
  await tx.insertInto('certificate_order').values({ owner_id: ownerId, ordered_at: at.toISOString() }).execute()
}
