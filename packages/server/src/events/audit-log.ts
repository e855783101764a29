import type { Caller } from '../http/caller.ts'
import type { Tx } from '../store/database.ts'

export type AuditRecord = {
  /** `noun.verb`, such as `app.update`. */
  action: string
  subject: string
  subjectId?: number
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

/** Who acts; the platform itself acts without a session. */
export type Actor = Pick<Caller, 'email' | 'origin'> & { id: number | null }

export const PLATFORM: Actor = { id: null, email: 'berth', origin: { address: '', requestId: '', isTls: false } }

/** Written in the transaction of the change. Callers name the fields they keep, so that no secret gets here. */
export async function recordAudit(tx: Tx, at: Date, actor: Actor, record: AuditRecord): Promise<void> {
  await tx
    .insertInto('audit')
    .values({
      at: at.toISOString(),
      actor_id: actor.id,
      actor_email: actor.email,
      action: record.action,
      subject: record.subject,
      subject_id: record.subjectId ?? null,
      before: JSON.stringify(record.before ?? null),
      after: JSON.stringify(record.after ?? null),
      address: actor.origin.address,
      request_id: actor.origin.requestId,
    })
    .execute()
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
