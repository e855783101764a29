import type { Reader, Tx } from '../../../store/database.ts'

/** The files of a release, sealed; empty if it has none. */
export async function findReleaseFiles(db: Reader, deploymentId: number): Promise<string> {
  const row = await db.selectFrom('release_files').select('sealed_files').where('deployment_id', '=', deploymentId).executeTakeFirst()
  return row?.sealed_files ?? ''
}

type NewFiles = { readonly deploymentId: number; readonly appId: number; readonly sealed: string }

/** Once per deployment: a run that continues after a crash has the files of its first attempt. */
export async function insertReleaseFiles(tx: Tx, { deploymentId, appId, sealed }: NewFiles): Promise<void> {
  if (sealed === '') return
  await tx
    .insertInto('release_files')
    .values({ deployment_id: deploymentId, app_id: appId, sealed_files: sealed })
    .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet({ sealed_files: sealed }))
    .execute()
}

/** For a release that can no longer be started. */
export async function deleteReleaseFiles(tx: Tx, deploymentId: number): Promise<void> {
  await tx.deleteFrom('release_files').where('deployment_id', '=', deploymentId).execute()
}
