import { UNFINISHED } from '../../domain/lifecycle.ts'
import { type DeploymentRow, findApp } from '../../domain/rows.ts'
import { stoppedServices } from '../../domain/stopped-services.ts'
import { isOfRelease, type Owner } from '../../engine/labels.ts'
import type { Reader } from '../../store/database.ts'

/** The state of the unfinished deployments of an app. */
export async function statusesUnderWay(db: Reader, appId: number): Promise<DeploymentRow['status'][]> {
  const rows = await db.selectFrom('deployment').select('status').where('app_id', '=', appId).where('status', 'in', UNFINISHED).execute()
  return rows.map(({ status }) => status)
}

/** Whether its containers, or one of them, may be restarted: they are not stopped, and no deployment is replacing them or has done so. */
export async function mayRestart(db: Reader, appId: number, owner?: Pick<Owner, 'service' | 'deploymentId'>): Promise<boolean> {
  const app = await findApp(db, appId)
  if (app?.wanted !== 'running') return false
  if (owner && owner.service !== null && stoppedServices(app).has(owner.service)) return false
  if ((await statusesUnderWay(db, appId)).includes('deploying')) return false
  if (owner === undefined) return true
  const live = await findLive(db, appId)
  return live !== undefined && isOfRelease(owner, live.id)
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
