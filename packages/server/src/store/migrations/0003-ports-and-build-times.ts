import type { Kysely } from 'kysely'

/** Which app has which published port, and when builds ran, by which their cache is told from others'. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('published_port')
    .addColumn('port', 'integer', (c) => c.notNull())
    .addColumn('protocol', 'text', (c) => c.notNull())
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
    .addColumn('since', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('published_port_key', ['port', 'protocol'])
    .execute()
  await db.schema.createIndex('published_port_app').on('published_port').column('app_id').execute()
  await db.schema
    .createTable('build_time')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('started_at', 'text', (c) => c.notNull())
    .addColumn('ended_at', 'text')
    .execute()
}
