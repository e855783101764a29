import type { Reader, Tx } from '../store/database.ts'

/** Work that only one node does at a time. Whoever takes it over has a higher fence. */
type Lease = { readonly name: string; readonly holder: string; readonly fence: number }

/** Extends the lease of its holder, or takes one that is free. Returns its fence; undefined if another node holds it. */
export async function takeLease(
  tx: Tx,
  { name, holder, fence, at, until }: { name: string; holder: string; fence: number | undefined; at: Date; until: Date },
): Promise<number | undefined> {
  const row = await tx.selectFrom('lease').selectAll().where('name', '=', name).executeTakeFirst()
  const isOurs = row !== undefined && row.holder === holder && row.fence === fence
  if (row && !isOurs && row.until >= at.toISOString()) return undefined
  const taken = { holder, fence: isOurs ? row.fence : (row?.fence ?? 0) + 1, until: until.toISOString() }
  await tx
    .insertInto('lease')
    .values({ name, ...taken })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(taken))
    .execute()
  return taken.fence
}

export async function isLeaseHeld(db: Reader, { name, holder, fence }: Lease): Promise<boolean> {
  const held = db.selectFrom('lease').select('name').where('name', '=', name).where('holder', '=', holder).where('fence', '=', fence)
  return (await held.executeTakeFirst()) !== undefined
}

/** The fence stays: the next holder's is higher. */
export async function freeLease(tx: Tx, { name, holder, fence }: Lease): Promise<void> {
  const held = tx.updateTable('lease').set({ holder: '', until: '' }).where('name', '=', name)
  await held.where('holder', '=', holder).where('fence', '=', fence).execute()
}
