import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Reader, Tx } from '../../store/database.ts'
import { projectsSharingQuota } from '../../store/shared-quota.ts'
import type { AppFileTable } from '../../store/storage-tables.ts'

export type AppFileRow = Selectable<AppFileTable>
/** Without the content, which can be long. */
export type ListedFileRow = Omit<AppFileRow, 'sealed_content'>

const LISTED = ['id', 'app_id', 'path', 'mode', 'bytes', 'created_at', 'updated_at'] as const

export async function listFiles(db: Reader, appId: number): Promise<ListedFileRow[]> {
  return await db.selectFrom('app_file').select(LISTED).where('app_id', '=', appId).orderBy('path').execute()
}

export async function listWholeFiles(db: Reader, appId: number): Promise<AppFileRow[]> {
  return await db.selectFrom('app_file').selectAll().where('app_id', '=', appId).orderBy('path').execute()
}

/** Of all apps in the projects that share a quota with this one. */
export async function sumFileBytes(db: Reader, projectId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('app_file')
    .innerJoin('app', 'app.id', 'app_file.app_id')
    .select((eb) => eb.fn.sum<number | null>('app_file.bytes').as('bytes'))
    .where('app.project_id', 'in', projectsSharingQuota(db, projectId))
    .executeTakeFirstOrThrow()
  return bytes ?? 0
}

export async function findFile(db: Reader, appId: number, path: string): Promise<AppFileRow | undefined> {
  return await db.selectFrom('app_file').selectAll().where('app_id', '=', appId).where('path', '=', path).executeTakeFirst()
}

export async function insertFile(tx: Tx, file: Insertable<AppFileTable>): Promise<ListedFileRow> {
  return await tx.insertInto('app_file').values(file).returning(LISTED).executeTakeFirstOrThrow()
}

export async function updateFile(tx: Tx, id: number, change: Updateable<AppFileTable>): Promise<ListedFileRow> {
  return await tx.updateTable('app_file').set(change).where('id', '=', id).returning(LISTED).executeTakeFirstOrThrow()
}

export async function deleteFile(tx: Tx, appId: number, path: string): Promise<{ id: number } | undefined> {
  return await tx.deleteFrom('app_file').where('app_id', '=', appId).where('path', '=', path).returning('id').executeTakeFirst()
}
