import type { AppStatus } from '@berth/contract'
import { appendEvent } from '../events/event-log.ts'
import type { Tx } from '../store/database.ts'
import type { AppRow } from './rows.ts'

/** The only writer of an app's observed status. It writes and reports only actual changes. */
export async function setAppStatus(tx: Tx, at: Date, appId: number, now: { status: AppStatus; reason: string }): Promise<void> {
  const app: Pick<AppRow, 'status' | 'status_reason' | 'project_id'> | undefined = await tx
    .selectFrom('app')
    .select(['status', 'status_reason', 'project_id'])
    .where('id', '=', appId)
    .executeTakeFirst()
  if (!app || (app.status === now.status && app.status_reason === now.reason)) return
  await tx.updateTable('app').set({ status: now.status, status_reason: now.reason }).where('id', '=', appId).execute()
  await appendEvent(tx, at, {
    type: 'app.status_changed',
    data: { projectId: app.project_id, appId, status: now.status, reason: now.reason },
  })
}

/** Returns whether something else was wanted before. */
export async function setWanted(tx: Tx, appId: number, wanted: AppRow['wanted']): Promise<boolean> {
  const change = tx.updateTable('app').set({ wanted }).where('id', '=', appId).where('wanted', '!=', wanted)
  return (await change.executeTakeFirst()).numUpdatedRows > 0n
}
