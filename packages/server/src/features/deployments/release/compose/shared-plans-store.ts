import type { Reader, Tx } from '../../../../store/database.ts'

/** The deployments of an app whose plans are stored. */
export async function listedPlans(db: Reader, appId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('deployment_file')
    .innerJoin('deployment', 'deployment.id', 'deployment_file.deployment_id')
    .select('deployment.id')
    .where('deployment.app_id', '=', appId)
    .where('deployment_file.name', '=', 'plan')
    .orderBy('deployment.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The releases of compose apps that may be started again. */
export async function keptPlans(db: Reader): Promise<{ appId: number; deploymentId: number }[]> {
  return await db
    .selectFrom('deployment')
    .select(['app_id as appId', 'id as deploymentId'])
    .where('main_service', '<>', '')
    .where('status', 'not in', ['failed', 'stopped'])
    .orderBy('id')
    .execute()
}

/** Of deployments that have ended and are not releases that can be started again. */
export async function forgetPlans(tx: Tx): Promise<void> {
  const ended = tx
    .selectFrom('deployment')
    .select('id')
    .where('finished_at', 'is not', null)
    .where((eb) => eb.or([eb('main_service', '=', ''), eb('status', 'in', ['failed', 'stopped'])]))
  await tx.deleteFrom('deployment_file').where('name', 'like', 'plan%').where('deployment_id', 'in', ended).execute()
}
