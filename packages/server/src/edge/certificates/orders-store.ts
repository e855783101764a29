import type { Tx } from '../../store/database.ts'

export type Order = { readonly host: string; readonly at: number }

/** Of an owner, the oldest first. Also forgets the orders of everybody that are older than `since`. */
export async function ordersOf(tx: Tx, ownerId: number, since: Date): Promise<Order[]> {
  await tx.deleteFrom('certificate_order').where('ordered_at', '<=', since.toISOString()).execute()
  const rows = await tx
    .selectFrom('certificate_order')
    .select(['host', 'ordered_at'])
    .where('owner_id', '=', ownerId)
    .orderBy('ordered_at')
    .execute()
  return rows.map(({ host, ordered_at }) => ({ host, at: Date.parse(ordered_at) }))
}

export async function insertOrder(tx: Tx, { ownerId, host, at }: { ownerId: number; host: string; at: Date }): Promise<void> {
  await tx.insertInto('certificate_order').values({ owner_id: ownerId, host, ordered_at: at.toISOString() }).execute()
}
