import type { Reader } from '../store/database.ts'

/** Which of these jobs are for a deployment that was cancelled, or for an app that was deleted. */
export async function unwantedJobs(db: Reader, jobs: readonly { id: number; payload: string }[]): Promise<number[]> {
  const asked = jobs.map(({ id, payload }) => ({ id, ...(JSON.parse(payload) as { appId: number; deploymentId?: number }) })) // only `enqueue` writes it
  const appIds = asked.map(({ appId }) => appId)
  const apps = await db.selectFrom('app').select('id').where('id', 'in', appIds).execute()
  const deploymentIds = asked.flatMap(({ deploymentId }) => deploymentId ?? [])
  const cancelled = db.selectFrom('deployment').select('id').where('id', 'in', deploymentIds).where('status', '=', 'stopped')
  const [known, stopped] = [new Set(apps.map(({ id }) => id)), new Set((await cancelled.execute()).map(({ id }) => id))]
  return asked.filter(({ appId, deploymentId = 0 }) => !known.has(appId) || stopped.has(deploymentId)).map(({ id }) => id)
}
