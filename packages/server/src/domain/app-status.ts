import type { AppStatus } from '@berth/contract'
import { appendEvent } from '../events/event-log.ts'
import type { Tx } from '../store/database.ts'
import type { AppRow } from './rows.ts'

type Seen = {
  status: AppStatus
  /** Without one, the reason stays as long as the status does. */
  reason?: string
  /** Nothing is written if something else is wanted by now. */
  wanted?: AppRow['wanted']
}

/** The only writer of an app's observed status. It writes and reports only actual changes. */
export async function setAppStatus(tx: Tx, at: Date, appId: number, { status, reason: given, wanted }: Seen): Promise<void> {
  const app: Pick<AppRow, 'status' | 'status_reason' | 'wanted' | 'project_id'> | undefined = await tx
    .selectFrom('app')
    .select(['status', 'status_reason', 'wanted', 'project_id'])
    .where('id', '=', appId)
    .executeTakeFirst()
  if (!app || (wanted !== undefined && app.wanted !== wanted)) return
  const reason = given ?? (app.status === status ? app.status_reason : '')
  if (app.status === status && app.status_reason === reason) return
  await tx.updateTable('app').set({ status, status_reason: reason }).where('id', '=', appId).execute()
  await appendEvent(tx, at, { type: 'app.status_changed', data: { projectId: app.project_id, appId, status, reason } })
}

/** Returns whether something else was wanted before. */
export async function setWanted(tx: Tx, appId: number, wanted: AppRow['wanted']): Promise<boolean> {
  const change = tx.updateTable('app').set({ wanted }).where('id', '=', appId).where('wanted', '!=', wanted)
  return (await change.executeTakeFirst()).numUpdatedRows > 0n
}
