import { QUOTAS, refuseBeyond } from '../lib/quota.ts'
import type { Reader, Tx } from '../store/database.ts'
import { projectsSharingQuota } from '../store/shared-quota.ts'
import { mostContainers } from './processes.ts'

/**
 * How many containers all apps that share the quota of a project may have: those of the settings, and those of processes that only the
 * live release has, or one that a rollback brings back.
 */
export async function countReplicas(db: Reader, projectId: number): Promise<number> {
  const apps = await db
    .selectFrom('app')
    .select(['id', 'replicas', 'processes'])
    .where('project_id', 'in', projectsSharingQuota(db, projectId))
    .execute()
  const releases = db
    .selectFrom('deployment')
    .select(['app_id', 'processes'])
    .where('processes', '!=', '[]')
    .where('app_id', 'in', db.selectFrom('app').select('id').where('project_id', 'in', projectsSharingQuota(db, projectId)))
  const live = await releases.where((eb) => eb('is_active', '=', eb.lit(1))).execute() // a literal, so that the partial index is used
  const waiting = await releases.where('finished_at', 'is', null).execute()
  const releasesOf = Map.groupBy([...live, ...waiting], ({ app_id }) => app_id)
  return apps.reduce((sum, app) => sum + mostContainers(app, releasesOf.get(app.id) ?? []), 0)
}

/** Called after a change that may have added replicas. Somebody who already has too many can still reduce them. */
export async function refuseMoreReplicas(tx: Tx, projectId: number, { before, field }: { before: number; field: string }): Promise<void> {
  const after = await countReplicas(tx, projectId)
  if (after > before) refuseBeyond(QUOTAS.replicasOfUser, after - 1, { field, who: "a person's projects", what: 'replicas' })
}
