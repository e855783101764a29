import type { Kysely } from 'kysely'

/** What an app keeps: its volumes, and the files that its releases are given. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('volumes', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .createTable('app_file')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('sealed_content', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('app_file_path').on('app_file').columns(['app_id', 'path']).unique().execute()
  // Beside the deployment, whose row is read and written at every step: these can be a megabyte.
  await db.schema
    .createTable('release_files')
    .addColumn('deployment_id', 'integer', (c) => c.primaryKey().references('deployment.id').onDelete('cascade'))
    .addColumn('app_id', 'integer', (c) => c.notNull())
    .addColumn('sealed_files', 'text', (c) => c.notNull())
    .execute()
}
