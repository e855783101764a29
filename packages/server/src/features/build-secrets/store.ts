import type { Reader, Tx } from '../../store/database.ts'

export type SealedSecret = { readonly name: string; readonly sealed_value: string }

export async function listBuildSecrets(db: Reader, appId: number): Promise<SealedSecret[]> {
  return await db.selectFrom('build_secret').select(['name', 'sealed_value']).where('app_id', '=', appId).orderBy('name').execute()
}

export async function setBuildSecret(tx: Tx, appId: number, secret: SealedSecret): Promise<void> {
  await tx
    .insertInto('build_secret')
    .values({ app_id: appId, ...secret })
    .onConflict((conflict) => conflict.columns(['app_id', 'name']).doUpdateSet({ sealed_value: secret.sealed_value }))
    .execute()
}

export async function deleteBuildSecret(tx: Tx, appId: number, name: string): Promise<void> {
  await tx.deleteFrom('build_secret').where('app_id', '=', appId).where('name', '=', name).execute()
}
