import { appLane } from '../../domain/job-names.ts'
import type { AppRow, DeploymentRow } from '../../domain/rows.ts'
import { lanesInQueue } from '../../queue/queue-store.ts'
import type { Reader } from '../../store/database.ts'

const UNFINISHED = ['pending', 'building', 'deploying'] as const satisfies DeploymentRow['status'][]

export async function listApps(db: Reader): Promise<AppRow[]> {
  return await db.selectFrom('app').selectAll().execute()
}

export async function listActive(db: Reader): Promise<Pick<DeploymentRow, 'id' | 'app_id'>[]> {
  return await db.selectFrom('deployment').select(['id', 'app_id']).where('is_active', '=', 1).execute()
}

/** Unfinished, and no job in the queue would continue it. */
export async function unfinishedWithoutJob(db: Reader): Promise<Pick<DeploymentRow, 'id' | 'app_id' | 'triggered_by'>[]> {
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'app_id', 'triggered_by'])
    .where('finished_at', 'is', null)
    .where('status', 'in', UNFINISHED)
    .execute()
  const lanes = new Set(await lanesInQueue(db))
  return rows.filter((row) => !lanes.has(appLane(row.app_id)))
}

/** The state of the unfinished deployments of an app. */
export async function statusesUnderWay(db: Reader, appId: number): Promise<DeploymentRow['status'][]> {
  const rows = await db.selectFrom('deployment').select('status').where('app_id', '=', appId).where('status', 'in', UNFINISHED).execute()
  return rows.map(({ status }) => status)
}

export async function findLive(db: Reader, appId: number): Promise<Pick<DeploymentRow, 'id' | 'image' | 'main_service'> | undefined> {
  return await db
    .selectFrom('deployment')
    .select(['id', 'image', 'main_service'])
    .where('app_id', '=', appId)
    .where('is_active', '=', 1)
    .executeTakeFirst()
}

/** Newest first. Deployments without kept output are skipped, up to a limit. */
export async function lastFailed(db: Reader, appId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('deployment')
    .select('id')
    .where('app_id', '=', appId)
    .where('status', '=', 'failed')
    .orderBy('number', 'desc')
    .limit(10)
    .execute()
  return rows.map(({ id }) => id)
}
