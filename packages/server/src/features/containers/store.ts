import type { Reader } from '../../store/database.ts'
import type { AppRow, DeploymentRow } from '../../store/rows.ts'

export async function listApps(db: Reader): Promise<AppRow[]> {
  return await db.selectFrom('app').selectAll().execute()
}

export async function listActive(db: Reader): Promise<Pick<DeploymentRow, 'id' | 'app_id'>[]> {
  return await db.selectFrom('deployment').select(['id', 'app_id']).where('is_active', '=', 1).execute()
}

export async function unfinishedWithoutJob(db: Reader, lanes: ReadonlySet<string>): Promise<DeploymentRow[]> {
  const rows = await db
    .selectFrom('deployment')
    .selectAll()
    .where('finished_at', 'is', null)
    .where('status', 'in', ['pending', 'building', 'deploying'])
    .execute()
  return rows.filter((row) => !lanes.has(`app:${row.app_id}`))
}

export async function imagesInUse(db: Reader): Promise<Set<string>> {
  const rows = await db.selectFrom('deployment').select('image').where('image', '!=', '').distinct().execute()
  return new Set(rows.map((row) => row.image))
}

export async function projectIds(db: Reader): Promise<Set<number>> {
  return new Set((await db.selectFrom('project').select('id').execute()).map((row) => row.id))
}

export async function findLive(db: Reader, appId: number): Promise<Pick<DeploymentRow, 'id' | 'image'> | undefined> {
  return await db.selectFrom('deployment').select(['id', 'image']).where('app_id', '=', appId).where('is_active', '=', 1).executeTakeFirst()
}
