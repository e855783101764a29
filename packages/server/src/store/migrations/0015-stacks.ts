import type { Kysely } from 'kysely'

/** Stopped services of compose apps, domains of single services, and compose files without a repository. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('stopped_services', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .alterTable('domain')
    .addColumn('service', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('domain').addColumn('port', 'integer').execute()
  await db.schema
    .createTable('compose_file')
    .addColumn('app_id', 'integer', (c) => c.primaryKey().references('app.id').onDelete('cascade'))
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute()
}
