import { UNFINISHED } from '../../../domain/lifecycle.ts'
import type { Reader, Tx } from '../../../store/database.ts'
import { jsonNumber } from '../../../store/dialect.ts'

/** Apps with more deployments than this. Only reads the index of numbers. */
export async function appsWithMoreThan(db: Reader, count: number): Promise<number[]> {
  const rows = await db
    .selectFrom('deployment')
    .select('app_id')
    .groupBy('app_id')
    .having((eb) => eb.fn.countAll<number>(), '>', count)
    .execute()
  return rows.map(({ app_id }) => app_id)
}

/**
 * Finished deployments of an app beyond the newest `kept`, oldest first and at most `limit`. Excludes the live release, releases that can
 * be rolled back to, and those that a job is still working on.
 */
export async function finishedBeyond(db: Reader, of: { appId: number; kept: number; limit: number }): Promise<number[]> {
  const finished = db.selectFrom('deployment').where('app_id', '=', of.appId).where('status', 'not in', UNFINISHED)
  const oldestKept = await finished
    .select('number')
    .orderBy('number', 'desc')
    .offset(of.kept - 1)
    .limit(1)
    .executeTakeFirst()
  if (!oldestKept) return []
  const rows = await finished
    .select('id')
    .where('number', '<', oldestKept.number)
    .where('is_active', '=', 0)
    .where((eb) => eb.or([eb('status', 'in', ['failed', 'stopped']), eb.and([eb('image', '=', ''), eb('main_service', '=', '')])]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('job')
            .select('job.id')
            .where(jsonNumber(db, 'job.payload', 'deploymentId'), '=', eb.ref('deployment.id')),
        ),
      ),
    )
    .orderBy('number')
    .limit(of.limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteDeployments(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('deployment').where('id', 'in', ids).execute()
}
