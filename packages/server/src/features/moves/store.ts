import type { Insertable, Selectable } from 'kysely'
import type { Tx } from '../../store/database.ts'
import type { DataMoveTable } from '../../store/server-tables.ts'

export type DataMove = Selectable<DataMoveTable>

export async function insertMove(tx: Tx, move: Insertable<DataMoveTable>): Promise<void> {
  await tx.insertInto('data_move').values(move).execute()
}

export async function isAnyMoved(tx: Tx): Promise<boolean> {
  return (await tx.selectFrom('data_move').select('app_id').limit(1).execute()).length > 0
}

/** The only writer of the stage. False if the stage is no longer the one that was read. */
export async function setStage(tx: Tx, { app_id, stage }: DataMove, change: Pick<DataMove, 'stage' | 'problem'>): Promise<boolean> {
  const updated = tx.updateTable('data_move').set(change).where('app_id', '=', app_id).where('stage', '=', stage)
  return (await updated.executeTakeFirst()).numUpdatedRows > 0n
}

export async function deleteMove(tx: Tx, appId: number): Promise<void> {
  await tx.deleteFrom('data_move').where('app_id', '=', appId).execute()
}

/** From then on the app runs there. False if its data is not on the server `from`. */
export async function switchData(
  tx: Tx,
  { appId, from, to, toName, problem }: { appId: number; from: string; to: string; toName: string; problem: string },
): Promise<boolean> {
  const change = { server: to, server_name: toName, move_problem: problem }
  const updated = tx.updateTable('app_data').set(change).where('app_id', '=', appId).where('server', '=', from)
  return (await updated.executeTakeFirst()).numUpdatedRows > 0n
}

export async function setPlacement(tx: Tx, appId: number, { placement, at }: { placement: string; at: string }): Promise<void> {
  await tx.updateTable('app').set({ placement, updated_at: at }).where('id', '=', appId).execute()
}

export async function noteProblem(tx: Tx, appId: number, problem: string): Promise<void> {
  await tx.updateTable('app_data').set({ move_problem: problem }).where('app_id', '=', appId).execute()
}
