import type { Kysely } from 'kysely'

/** When other servers were lost, and what became of the containers that ran there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('server_outage')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('server_id', 'text', (c) => c.notNull())
    .addColumn('server_name', 'text', (c) => c.notNull())
    .addColumn('lost_at', 'text', (c) => c.notNull())
    .addColumn('ended_at', 'text')
    .addColumn('containers', 'text', (c) => c.notNull())
    .addColumn('moved', 'integer', (c) => c.notNull())
    .execute()
}
