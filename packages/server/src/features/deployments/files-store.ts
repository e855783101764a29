import type { Reader, Tx } from '../../store/database.ts'

export async function findFile(db: Reader, deploymentId: number, name: string): Promise<string | undefined> {
  const files = db.selectFrom('deployment_file').select('sealed_content')
  const row = await files.where('deployment_id', '=', deploymentId).where('name', '=', name).executeTakeFirst()
  return row?.sealed_content
}

export async function deleteFiles(tx: Tx, deploymentId: number, names: readonly string[]): Promise<void> {
  if (names.length > 0)
    await tx.deleteFrom('deployment_file').where('deployment_id', '=', deploymentId).where('name', 'in', names).execute()
}

export async function putFile(tx: Tx, row: { deployment_id: number; name: string; sealed_content: string }): Promise<void> {
  const { sealed_content } = row
  await tx
    .insertInto('deployment_file')
    .values(row)
    .onConflict((conflict) => conflict.columns(['deployment_id', 'name']).doUpdateSet({ sealed_content }))
    .execute()
}
