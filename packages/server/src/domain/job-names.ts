import { deleteWaitingRun, insertJob } from '../queue/queue-store.ts'
import type { Tx } from '../store/database.ts'

/** Every kind of background work, and what it is given. */
export type JobPayloads = {
  'deployment.run': { deploymentId: number; appId: number }
  'app.restore': { appId: number }
  'app.remove': { appId: number; projectId: number; deleteVolumes: boolean }
}
export type JobName = keyof JobPayloads

/** A handler may run twice: it looks before it acts. It stops when the signal says so. */
export type JobHandlers = { [Name in JobName]: (payload: JobPayloads[Name], signal: AbortSignal) => Promise<void> }

/** Work on one app happens one thing at a time, in the order it was asked for. */
export function appLane(appId: number): string {
  return `app:${appId}`
}

/** Those who share the slots are people: whoever has many projects has no more of them for that. */
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

/** Takes back the run of a deployment that was replaced before anybody began it. */
export async function withdrawRun(tx: Tx, { deploymentId, appId }: JobPayloads['deployment.run']): Promise<void> {
  await deleteWaitingRun(tx, { lane: appLane(appId), deploymentId })
}
