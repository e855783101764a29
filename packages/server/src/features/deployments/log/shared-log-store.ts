import type { Reader, Tx } from '../../../store/database.ts'
import type { DeploymentLogPartTable, DeploymentLogTable } from '../../../store/log-tables.ts'

type Place = Pick<DeploymentLogPartTable, 'start' | 'bytes' | 'hash'>

export async function findLog(db: Reader, deploymentId: number): Promise<DeploymentLogTable | undefined> {
  return await db.selectFrom('deployment_log').selectAll().where('deployment_id', '=', deploymentId).executeTakeFirst()
}

/** From now on this node writes it. */
export async function takeLog(tx: Tx, deploymentId: number, node: string): Promise<void> {
  const taken = { node, is_open: 1 } as const
  await tx
    .insertInto('deployment_log')
    .values({ deployment_id: deploymentId, bytes: 0, ...taken })
    .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet(taken))
    .execute()
}

/** Returns false if another node writes the log by now, or has stored something since. */
export async function addPart(tx: Tx, node: string, part: DeploymentLogPartTable): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('deployment_log')
    .set({ bytes: part.start + part.bytes })
    .where('deployment_id', '=', part.deployment_id)
    .where('node', '=', node)
    .where('bytes', '=', part.start)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await tx.insertInto('deployment_log_part').values(part).execute()
  return true
}

export async function closeLog(tx: Tx, deploymentId: number, node: string): Promise<void> {
  await tx.updateTable('deployment_log').set({ is_open: 0 }).where('deployment_id', '=', deploymentId).where('node', '=', node).execute()
}

export async function listParts(db: Reader, deploymentId: number): Promise<Place[]> {
  const parts = db.selectFrom('deployment_log_part').select(['start', 'bytes', 'hash'])
  return await parts.where('deployment_id', '=', deploymentId).orderBy('start').execute()
}

/** The next one, at exactly this place. */
export async function findPart(db: Reader, deploymentId: number, start: number): Promise<DeploymentLogPartTable | undefined> {
  const parts = db.selectFrom('deployment_log_part').selectAll()
  return await parts.where('deployment_id', '=', deploymentId).where('start', '=', start).executeTakeFirst()
}

/** Those that a run of this node left open. */
export async function openLogsOf(db: Reader, node: string): Promise<number[]> {
  const open = db.selectFrom('deployment_log').select('deployment_id').where('node', '=', node).where('is_open', '=', 1)
  return (await open.execute()).map(({ deployment_id }) => deployment_id)
}
