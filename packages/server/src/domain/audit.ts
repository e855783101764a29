import type { Insertable } from 'kysely'
import { AppError } from '../lib/app-error.ts'
import type { Tx } from '../store/database.ts'
import type { AuditTable } from '../store/schema.ts'
import { type Placeholders, statement } from '../store/statement.ts'
import { type Caller, isStaff } from './caller.ts'

export type AuditRecord = {
  /** `noun.verb`, such as `app.update`. */
  action: string
  subject: string
  subjectId?: number
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  /** The person behind it, if it is not done by a person. */
  automaticFor?: number | null
}

/** Who acts. The id is null for the platform itself. */
export type Actor = Pick<Caller, 'email' | 'origin'> & Partial<Pick<Caller, 'role'>> & { id: number | null }

export const PLATFORM: Actor = { id: null, email: 'berth', origin: { address: '', requestId: '', isTls: false, client: '' } }

/** In characters. Kept small because one response has many lines, and anybody who can change something writes them. */
const LONGEST_DETAIL = 2048
const LONGEST_TEXT = 300
/** The most bytes one character can take in JSON, and the overhead of a field. */
const [ESCAPED, AROUND] = [6, 8]

/** Keeps every field name. If the values are too long together, each is cut to its beginning, as text. */
function detailText(detail: Record<string, unknown> | undefined): string {
  const whole = JSON.stringify(detail ?? null, (_, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value,
  )
  if (whole.length <= LONGEST_DETAIL) return whole
  const fields = Object.entries(JSON.parse(whole) as Record<string, unknown>) // what was written above
  const share = Math.floor(LONGEST_DETAIL / fields.length)
  const shortened = fields.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const most = Math.max(0, Math.floor((share - JSON.stringify(name).length - AROUND) / ESCAPED))
    return [name, text.length <= most ? value : `${text.slice(0, most)}…`]
  })
  return JSON.stringify(Object.fromEntries(shortened))
}

/** What a script may do without noticing. Also for the owner and admins: somebody else may have their session. */
const MOST_CHANGES = { user: 6000, staff: 20_000 }
const WITHIN_MS = 60_000

/** The line that was written that many changes ago must not be too young. */
async function refuseTooMany(tx: Tx, at: Date, actor: Actor): Promise<void> {
  if (actor.id === null) return
  const most = actor.role !== undefined && isStaff({ role: actor.role }) ? MOST_CHANGES.staff : MOST_CHANGES.user
  const isYoung = (line: { at: string } | undefined) => {
    const agoMs = line === undefined ? Infinity : at.getTime() - Date.parse(line.at)
    return agoMs >= 0 && agoMs < WITHIN_MS // less than 0: the clock was set back
  }
  // First everybody's lines: that is one look at the index, and almost always enough.
  const { id: newest } = (await tx.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? { id: 0 }
  const among = tx.selectFrom('audit').select('at').orderBy('id').limit(1)
  if (newest < most || !isYoung(await among.where('id', '>', newest - most).executeTakeFirst())) return
  const own = tx.selectFrom('audit').select('at').where('actor_id', '=', actor.id).orderBy('id', 'desc')
  const earlier = await own
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst()
  if (isYoung(earlier))
    throw new AppError('too_many_changes', {
      message: `You made more than ${most.toLocaleString('en')} changes within a minute. Try again in a minute.`,
    })
}

/**
 * Whose share of the log a line takes: when there are too many lines, the largest share loses its oldest ones. What others can cause does
 * not take the share of a person, nor failed logins that of anything else.
 */
function shareOf(actor: Actor, { action, automaticFor }: AuditRecord): string {
  if (action === 'session.login_failed') return 'failed logins'
  if (automaticFor !== undefined) return `automatic:${automaticFor ?? ''}`
  return actor.id === null ? 'berth' : `person:${actor.id}`
}

const insertLine = statement((tx: Tx, row: Placeholders<Insertable<AuditTable>>) => tx.insertInto('audit').values(row))

/** Written in the transaction of the change. Callers name the fields they keep, so that no secret gets here. */
export async function recordAudit(tx: Tx, at: Date, actor: Actor, record: AuditRecord): Promise<void> {
  if (!record.action.startsWith('session.')) await refuseTooMany(tx, at, actor)
  await insertLine(tx, {
    at: at.toISOString(),
    actor_id: actor.id,
    actor_email: actor.email,
    action: record.action,
    subject: record.subject,
    subject_id: record.subjectId ?? null,
    before: detailText(record.before),
    after: detailText(record.after),
    address: actor.origin.address,
    request_id: actor.origin.requestId,
    share: shareOf(actor, record),
  })
}

/** The fields that a change really changed, before and after. */
export function changedFields<Row extends Record<string, unknown>>(
  before: Row,
  after: Partial<Row>,
): { before: Partial<Row>; after: Partial<Row> } {
  const keys = (Object.keys(after) as (keyof Row)[]).filter((key) => after[key] !== undefined && before[key] !== after[key]) // keys of Row, by its type
  const pick = (row: Partial<Row>) => Object.fromEntries(keys.map((key) => [key, row[key]])) as Partial<Row> // the same keys again
  return { before: pick(before), after: pick(after) }
}
