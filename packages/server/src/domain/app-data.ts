import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../store/database.ts'
import type { AppDataTable, DataMoveTable, LeftVolumeTable } from '../store/server-tables.ts'

export type AppData = Selectable<AppDataTable>
export type LeftVolume = Selectable<LeftVolumeTable>

/** The server that Berth runs on. */
export const HERE = 'this'

export async function findAppData(db: Reader, appId: number): Promise<AppData | undefined> {
  return await db.selectFrom('app_data').selectAll().where('app_id', '=', appId).executeTakeFirst()
}

/** Records where the data of an app is. If that was recorded before, it stays and is returned. */
export async function decideAppData(tx: Tx, wanted: Omit<AppData, 'move_problem'>): Promise<AppData> {
  await tx
    .insertInto('app_data')
    .values(wanted)
    .onConflict((conflict) => conflict.column('app_id').doNothing())
    .execute()
  return await tx.selectFrom('app_data').selectAll().where('app_id', '=', wanted.app_id).executeTakeFirstOrThrow()
}

/** The apps whose data is on a server. */
export async function listAppsWithData(db: Reader, server: string): Promise<{ id: number; name: string }[]> {
  const apps = db.selectFrom('app').innerJoin('app_data', 'app_data.app_id', 'app.id').select(['app.id', 'app.name'])
  return await apps.where('app_data.server', '=', server).orderBy('app.id').execute()
}

/** The move of an app that is under way, if there is one. */
export async function findDataMove(db: Reader, appId: number): Promise<Selectable<DataMoveTable> | undefined> {
  return await db.selectFrom('data_move').selectAll().where('app_id', '=', appId).executeTakeFirst()
}

/** What a background task is to remove from another server. */
export async function insertLeftVolume(tx: Tx, left: Omit<LeftVolume, 'id'>): Promise<void> {
  await tx.insertInto('left_volume').values(left).execute()
}

export async function listLeftVolumes(db: Reader): Promise<LeftVolume[]> {
  return await db.selectFrom('left_volume').selectAll().orderBy('id').execute()
}

export async function deleteLeftVolume(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('left_volume').where('id', '=', id).execute()
}
