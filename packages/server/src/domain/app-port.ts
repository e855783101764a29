import { appendEvent } from '../events/event-log.ts'
import type { Tx } from '../store/database.ts'

/** Gives an app a port, unless it has one by now. */
export async function setMissingPort(tx: Tx, at: Date, appId: number, port: number | null): Promise<void> {
  const change = tx.updateTable('app').set({ port, updated_at: at.toISOString() }).where('id', '=', appId).where('port', 'is', null)
  const app = await change.returning('project_id').executeTakeFirst()
  if (app) await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId } })
}
