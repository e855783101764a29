import type { Tx } from '../../store/database.ts'

/** False where the app is gone. */
export async function setHookHash(tx: Tx, appId: number, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable('app').set({ hook_hash: hash }).where('id', '=', appId).executeTakeFirst()
  return numUpdatedRows > 0n
}
