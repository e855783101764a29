import type { BuildPlan } from '@berth/contract'
import { type DeploymentRow, findDeployment } from '../../../domain/rows.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Reader, Tx } from '../../../store/database.ts'

/** A retry of the same deployment replaces its plan. */
export async function savePlan(tx: Tx, deploymentId: number, plan: BuildPlan): Promise<void> {
  const row = { deployment_id: deploymentId, plan: JSON.stringify(plan) }
  await tx
    .insertInto('deployment_plan')
    .values(row)
    .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet({ plan: row.plan }))
    .execute()
}

/** A rollback has the plan of the release that it brings back. */
export async function findPlan(db: Reader, deployment: Pick<DeploymentRow, 'id' | 'release_of'>): Promise<BuildPlan | undefined> {
  const { id, release_of } = deployment
  const row = await db.selectFrom('deployment_plan').select('plan').where('deployment_id', '=', id).executeTakeFirst()
  if (row) return JSON.parse(row.plan) as BuildPlan // written by savePlan alone
  const release = release_of === null ? undefined : await findDeployment(db, release_of)
  return release && (await findPlan(db, release))
}

export async function planOf(db: Reader, deployment: DeploymentRow): Promise<BuildPlan> {
  const plan = await findPlan(db, deployment)
  if (plan) return plan
  throw new AppError('not_found', {
    message: 'This deployment has no build plan: nothing was built for it, or it ended before the plan was made.',
  })
}

/** The files of a release, sealed; empty if it has none. */
export async function findReleaseFiles(db: Reader, deploymentId: number): Promise<string> {
  const row = await db.selectFrom('release_files').select('sealed_files').where('deployment_id', '=', deploymentId).executeTakeFirst()
  return row?.sealed_files ?? ''
}

type NewFiles = { readonly deploymentId: number; readonly appId: number; readonly sealed: string }

/** Once per deployment: a run that continues after a crash has the files of its first attempt. */
export async function insertReleaseFiles(tx: Tx, { deploymentId, appId, sealed }: NewFiles): Promise<void> {
  if (sealed === '') return
  await tx
    .insertInto('release_files')
    .values({ deployment_id: deploymentId, app_id: appId, sealed_files: sealed })
    .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet({ sealed_files: sealed }))
    .execute()
}

/** For a release that can no longer be started. */
export async function deleteReleaseFiles(tx: Tx, deploymentId: number): Promise<void> {
  await tx.deleteFrom('release_files').where('deployment_id', '=', deploymentId).execute()
}
