import { appLane } from '../../queue/jobs.ts'
import { lanesInQueue } from '../../queue/queue-store.ts'
import type { Reader } from '../../store/database.ts'
import type { AppRow, DeploymentRow } from '../../store/rows.ts'

export async function listApps(db: Reader): Promise<AppRow[]> {
  return await db.selectFrom('app').selectAll().execute()
}

export async function listActive(db: Reader): Promise<Pick<DeploymentRow, 'id' | 'app_id'>[]> {
  return await db.selectFrom('deployment').select(['id', 'app_id']).where('is_active', '=', 1).execute()
}

/** Unfinished, and nothing in the queue would go on with it. */
export async function unfinishedWithoutJob(db: Reader): Promise<Pick<DeploymentRow, 'id' | 'app_id'>[]> {
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'app_id'])
    .where('finished_at', 'is', null)
    .where('status', 'in', ['pending', 'building', 'deploying'])
    .execute()
  const lanes = new Set(await lanesInQueue(db))
  return rows.filter((row) => !lanes.has(appLane(row.app_id)))
}

export async function findLive(db: Reader, appId: number): Promise<Pick<DeploymentRow, 'id' | 'image'> | undefined> {
  return await db.selectFrom('deployment').select(['id', 'image']).where('app_id', '=', appId).where('is_active', '=', 1).executeTakeFirst()
}
