import type { Kysely } from 'kysely'

/** The images that a project got with credentials: others may not use the same bytes under another name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('private_image')
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('project_id', 'integer', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('private_image_key', ['digest', 'project_id', 'repository'])
    .execute()
  await db.schema.createIndex('private_image_project').on('private_image').columns(['project_id', 'number']).execute()
}
