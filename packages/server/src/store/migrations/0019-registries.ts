import { type Kysely, sql } from 'kysely'

/** Credentials for image registries, and apps that run a ready image. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('registry')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('username', 'text', (c) => c.notNull())
    .addColumn('sealed_password', 'text', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.references('user.id').onDelete('cascade'))
    .addColumn('project_id', 'integer', (c) => c.references('project.id').onDelete('cascade'))
    .addColumn('created_by', 'integer', (c) => c.references('user.id').onDelete('set null'))
    .addColumn('error', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addCheckConstraint('registry_belongs_to_one', sql`(user_id is null) <> (project_id is null)`)
    .execute()
  await db.schema.createIndex('registry_user').on('registry').columns(['user_id', 'host']).unique().execute()
  await db.schema.createIndex('registry_project').on('registry').columns(['project_id', 'host']).unique().execute()
  await db.schema
    .createTable('private_host')
    .addColumn('host', 'text', (c) => c.primaryKey())
    .execute()
  for (const [table, column] of [
    ['app', 'image'],
    ['deployment', 'image_ref'],
  ] as const)
    await db.schema
      .alterTable(table)
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute()
}
