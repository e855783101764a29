import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../../store/database.ts'
import type { BuildTimeTable } from '../../../store/schema.ts'

export async function insertBuildTime(tx: Tx, at: Date): Promise<number> {
  const row = await tx
    .insertInto('build_time')
    .values({ started_at: at.toISOString(), ended_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

export async function endBuildTime(tx: Tx, id: number, at: Date): Promise<void> {
  await tx.updateTable('build_time').set({ ended_at: at.toISOString() }).where('id', '=', id).execute()
}

export async function listBuildTimes(db: Reader): Promise<Selectable<BuildTimeTable>[]> {
  return await db.selectFrom('build_time').selectAll().orderBy('started_at').execute()
}

/** Keeps the newest. What the engine still has of older builds then counts as somebody else's, and is left alone. */
export async function forgetBuildTimesBeyond(tx: Tx, most: number): Promise<void> {
  const last = await tx.selectFrom('build_time').select('id').orderBy('id', 'desc').offset(most).limit(1).executeTakeFirst()
  if (last) await tx.deleteFrom('build_time').where('id', '<=', last.id).execute()
}

export async function forgetBuildTimesBefore(tx: Tx, at: Date): Promise<void> {
  await tx.deleteFrom('build_time').where('ended_at', '<', at.toISOString()).execute()
}
