import type { AuditEntry } from '@berth/contract'
import { sql } from 'kysely'
import { containing } from '../../store/containing.ts'
import type { Reader } from '../../store/database.ts'

export type AuditFilter = {
  limit?: number
  before?: number
  action?: string
  actorId?: number
  search?: string
  since?: string
  until?: string
}

const SEARCHED = ['actor_email', 'action', 'address', 'before', 'after', 'request_id'] as const

export async function listAudit(db: Reader, filter: AuditFilter): Promise<AuditEntry[]> {
  let query = db
    .selectFrom('audit')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit ?? 100)
  if (filter.before !== undefined) query = query.where('id', '<', filter.before)
  if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId)
  if (filter.action) query = query.where('action', '>=', filter.action).where('action', '<', `${filter.action}\uffff`)
  // A day is a prefix of its times, so the end of a day must sort after all of them.
  if (filter.since) query = query.where('at', '>=', filter.since)
  if (filter.until) query = query.where('at', '<=', filter.until.includes('T') ? filter.until : `${filter.until}T\uffff`)
  if (filter.search !== undefined && filter.search.trim() !== '') {
    const pattern = containing(filter.search.trim())
    query = query.where((eb) => eb.or(SEARCHED.map((column) => sql<boolean>`${eb.ref(column)} like ${pattern} escape '\\'`)))
  }
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
