import type { AuditEntry } from '@berth/contract'
import type { Reader } from '../../store/database.ts'

export type AuditFilter = { limit?: number; before?: number; action?: string; actorId?: number }

export async function listAudit(db: Reader, filter: AuditFilter): Promise<AuditEntry[]> {
  let query = db
    .selectFrom('audit')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit ?? 100)
  if (filter.before !== undefined) query = query.where('id', '<', filter.before)
  if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId)
  if (filter.action) query = query.where('action', '>=', filter.action).where('action', '<', `${filter.action}\uffff`)
  const rows = await query.execute()
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    action: row.action,
    subject: row.subject,
    subjectId: row.subject_id,
    before: JSON.parse(row.before) as unknown,
    after: JSON.parse(row.after) as unknown,
    address: row.address,
    requestId: row.request_id,
  }))
}
