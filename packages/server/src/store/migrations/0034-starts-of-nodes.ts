import type { Kysely } from 'kysely'

/** Of several processes on one database: when each of them was started. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('control_plane')
    .addColumn('started_at', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}
