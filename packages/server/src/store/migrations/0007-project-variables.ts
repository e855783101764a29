import type { Kysely } from 'kysely'

/** Variables of a project, which its apps refer to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_variable')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('project_id', 'integer', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('sealed_value', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('project_variable_key', ['project_id', 'key'])
    .execute()
}
