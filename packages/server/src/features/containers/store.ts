import { UNFINISHED } from '../../domain/lifecycle.ts'
import { type DeploymentRow, findApp } from '../../domain/rows.ts'
import { stoppedServices } from '../../domain/stopped-services.ts'
import type { Reader } from '../../store/database.ts'

/** The state of the unfinished deployments of an app. */
export async function statusesUnderWay(db: Reader, appId: number): Promise<DeploymentRow['status'][]> {
  const rows = await db.selectFrom('deployment').select('status').where('app_id', '=', appId).where('status', 'in', UNFINISHED).execute()
  return rows.map(({ status }) => status)
}

/** Whether its containers, or those of one service, may be restarted: they are not stopped, and no deployment is replacing them. */
export async function mayRestart(db: Reader, appId: number, service: string | null = null): Promise<boolean> {
  const app = await findApp(db, appId)
  if (app?.wanted !== 'running' || (service !== null && stoppedServices(app).has(service))) return false
  return !(await statusesUnderWay(db, appId)).includes('deploying')
}

type Live = Pick<DeploymentRow, 'id' | 'image' | 'main_service' | 'processes'>

export async function findLive(db: Reader, appId: number): Promise<Live | undefined> {
  return await db
    .selectFrom('deployment')
    .select(['id', 'image', 'main_service', 'processes'])
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
