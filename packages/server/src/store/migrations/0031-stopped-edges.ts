import type { Kysely } from 'kysely'

/** Of several processes on one database: whether the others have stopped the edge of one that was gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('control_plane')
    .addColumn('edge_stopped', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
