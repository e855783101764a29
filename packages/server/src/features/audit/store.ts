import type { AuditEntry } from '@berth/contract'
import type { Reader, Tx } from '../../store/database.ts'
import { contains } from '../../store/dialect.ts'

export type AuditFilter = {
  limit?: number
  before?: number
  action?: string
  actorId?: number
  search?: string
  since?: string
  until?: string
}

/** A search reads every line, so it looks at no more than these before it returns. */
const LOOKED_THROUGH = 50_000
const SEARCHED = ['actor_email', 'action', 'address', 'before', 'after', 'request_id'] as const

export async function listAudit(db: Reader, filter: AuditFilter, lookedThrough = LOOKED_THROUGH): Promise<AuditEntry[]> {
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
    const text = filter.search.trim()
    const older = db
      .selectFrom('audit')
      .select('id')
      .$if(filter.before !== undefined, (lines) => lines.where('id', '<', filter.before ?? 0))
    const last = await older.orderBy('id', 'desc').offset(lookedThrough).limit(1).executeTakeFirst()
    query = query.where('id', '>', last?.id ?? 0)
    query = query.where((eb) => eb.or(SEARCHED.map((column) => contains(db, eb.ref(column), text))))
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

/** Deletes a batch of the lines from before this time, and returns how many. */
export async function forgetAuditBefore(tx: Tx, before: Date, batch: number): Promise<number> {
  const oldest = await tx.selectFrom('audit').select(['id', 'at']).orderBy('id').limit(batch).execute()
  const ids = oldest.filter(({ at }) => at < before.toISOString()).map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('audit').where('id', 'in', ids).execute()
  return ids.length
}

/** How many lines each share has, most first. */
export async function countAuditByShare(db: Reader): Promise<{ share: string; lines: number }[]> {
  return await db
    .selectFrom('audit')
    .select((eb) => ['share', eb.fn.countAll<number>().as('lines')])
    .groupBy('share')
    .orderBy('lines', 'desc')
    .execute()
}

/** Deletes the oldest lines of a share. */
export async function forgetAuditOfShare(tx: Tx, share: string, count: number): Promise<void> {
  const own = tx.selectFrom('audit').select('id').where('share', '=', share).orderBy('id').limit(count)
  await tx.deleteFrom('audit').where('id', 'in', own).execute()
}
