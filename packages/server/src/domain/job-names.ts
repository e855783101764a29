import { countJobs, deleteWaitingRun, insertJob, isWaiting } from '../queue/queue-store.ts'
import type { Tx } from '../store/database.ts'

/** Every kind of job, and its payload. */
export type JobPayloads = {
  'deployment.run': { deploymentId: number; appId: number }
  'app.restore': { appId: number }
  'volume.remove': { appId: number; volume: string }
  'app.move': { appId: number }
  'app.remove': { appId: number; projectId: number; deleteVolumes: boolean }
}
export type JobName = keyof JobPayloads

/** A handler may run twice, so it checks before it acts. It stops when the signal is aborted. */
export type JobHandlers = { [Name in JobName]: (payload: JobPayloads[Name], signal: AbortSignal) => Promise<void> }

/** Jobs of one app run one at a time, in the order they were requested. */
export function appLane(appId: number): string {
  return `app:${appId}`
}

/** Slots are shared between people, so that somebody with many projects gets no more of them. */
function tenantOf(userId: number | null): string {
  return `user:${userId ?? ''}`
}

export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: JobPayloads[Name] & { appId: number },
  asked: { by: number | null; at: Date },
): Promise<void> {
  await insertJob(tx, { name, payload, lane: appLane(payload.appId), tenant: tenantOf(asked.by), at: asked.at })
}

/** Runs the live release as the row of the app says by then. One that waits is enough, however often it is asked for. */
export async function enqueueRestore(tx: Tx, appId: number, asked: { by: number | null; at: Date }): Promise<void> {
  await enqueueOnce(tx, 'app.restore', { appId }, asked)
}

/** Returns whether it was added: one that waits does the same. */
export async function enqueueOnce<Name extends 'app.restore' | 'volume.remove'>(
  tx: Tx,
  name: Name,
  payload: JobPayloads[Name],
  asked: { by: number | null; at: Date },
): Promise<boolean> {
  if (await isWaiting(tx, { name, lane: appLane(payload.appId), payload })) return false
  await enqueue(tx, name, payload, asked)
  return true
}

/** How many apps that these people deleted are not removed yet. */
export async function countRemovals(tx: Tx, people: readonly number[]): Promise<number> {
  return await countJobs(tx, { name: 'app.remove', tenants: people.map(tenantOf) })
}

/** Removes the job of a deployment that was replaced before it started. */
export async function withdrawRun(tx: Tx, { deploymentId, appId }: JobPayloads['deployment.run']): Promise<void> {
  await deleteWaitingRun(tx, { lane: appLane(appId), deploymentId })
}
