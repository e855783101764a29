import type { Reader, Tx } from './database.ts'

export async function readFact(db: Reader, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('fact').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

export async function writeFact(tx: Tx, name: string, value: string): Promise<void> {
  await tx
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function deleteFact(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('fact').where('name', '=', name).execute()
}
