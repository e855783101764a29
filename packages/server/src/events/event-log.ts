import type { BerthEvent, NewEvent } from '@berth/contract'
import type { Insertable } from 'kysely'
import type { Db, Reader, Tx } from '../store/database.ts'
import type { EventTable } from '../store/schema.ts'
import { type Placeholders, statement } from '../store/statement.ts'

const BATCH = 500

const insertEvent = statement((tx: Tx, row: Placeholders<Insertable<EventTable>>) => tx.insertInto('event').values(row))

/** Appends in the transaction of the change it reports. */
export async function appendEvent(tx: Tx, at: Date, event: NewEvent): Promise<void> {
  const projectId = 'projectId' in event.data ? event.data.projectId : null
  await insertEvent(tx, { at: at.toISOString(), type: event.type, project_id: projectId, data: JSON.stringify(event.data) })
}

export async function eventsAfter(db: Reader, cursor: number): Promise<BerthEvent[]> {
  const rows = await db.selectFrom('event').selectAll().where('seq', '>', cursor).orderBy('seq').limit(BATCH).execute()
  return rows.map((row) => ({ seq: row.seq, at: row.at, type: row.type, data: JSON.parse(row.data) as unknown }) as BerthEvent) // only appendEvent writes this table
}

/** The same from memory, until something is committed. */
export function createLastEventSeq(db: Pick<Db, 'selectFrom' | 'cachedRead'>): () => Promise<number> {
  const query = db
    .selectFrom('event')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('seq', '>', 0)
    .compile()
  return async () => (await db.cachedRead(query, 0))[0]?.seq ?? 0
}

export async function lastEventSeq(db: Reader): Promise<number> {
  const row = await db
    .selectFrom('event')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * Deletes a batch of the events from before a time, and of those beyond the newest. Returns how many. Readers that were away longer must
 * load everything again.
 */
export async function forgetEvents(tx: Tx, { before, most, batch }: { before: Date; most: number; batch: number }): Promise<number> {
  const newest = await lastEventSeq(tx)
  const oldest = await tx.selectFrom('event').select(['seq', 'at']).orderBy('seq').limit(batch).execute()
  const gone = oldest.filter(({ seq, at }) => at < before.toISOString() || seq <= newest - most).map(({ seq }) => seq)
  if (gone.length > 0) await tx.deleteFrom('event').where('seq', 'in', gone).execute()
  return gone.length
}
