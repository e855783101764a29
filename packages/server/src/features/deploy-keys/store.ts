import type { Reader, Tx } from '../../store/database.ts'

/** False if the app no longer exists. */
export async function saveKey(tx: Tx, appId: number, key: { publicKey: string; sealed: string }): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable('app').set({ deploy_key: key.publicKey }).where('id', '=', appId).executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  const row = { app_id: appId, sealed_key: key.sealed }
  await tx
    .insertInto('deploy_key')
    .values(row)
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet(row))
    .execute()
  return true
}

export async function deleteKey(tx: Tx, appId: number): Promise<void> {
  await tx.deleteFrom('deploy_key').where('app_id', '=', appId).execute()
  await tx.updateTable('app').set({ deploy_key: '', host_key: '' }).where('id', '=', appId).execute()
}

export async function findSealedKey(db: Reader, appId: number): Promise<string | undefined> {
  const row = await db.selectFrom('deploy_key').select('sealed_key').where('app_id', '=', appId).executeTakeFirst()
  return row?.sealed_key
}

export async function findHostKey(db: Reader, appId: number): Promise<string> {
  const row = await db.selectFrom('app').select('host_key').where('id', '=', appId).executeTakeFirst()
  return row?.host_key ?? ''
}

/** False where another key was pinned meanwhile, or the app or its deploy key is gone: a visit that had begun must pin nothing then. */
export async function replaceHostKey(tx: Tx, appId: number, { before, after }: { before: string; after: string }): Promise<boolean> {
  const row = tx.updateTable('app').set({ host_key: after }).where('id', '=', appId).where('host_key', '=', before)
  return (await row.where('deploy_key', '!=', '').executeTakeFirst()).numUpdatedRows > 0n
}

export async function forgetHostKey(tx: Tx, appId: number): Promise<void> {
  await tx.updateTable('app').set({ host_key: '' }).where('id', '=', appId).execute()
}
