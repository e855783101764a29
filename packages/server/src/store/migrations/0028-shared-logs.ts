import type { Kysely } from 'kysely'

/** Of several processes on one database each reads the logs of the others here; and what else a deployment leaves behind as files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deployment_log')
    .addColumn('deployment_id', 'integer', (c) => c.primaryKey().references('deployment.id').onDelete('cascade'))
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('is_open', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('deployment_log_part')
    .addColumn('deployment_id', 'integer', (c) => c.notNull().references('deployment.id').onDelete('cascade'))
    .addColumn('start', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('packed', 'blob', (c) => c.notNull())
    .addPrimaryKeyConstraint('deployment_log_part_key', ['deployment_id', 'start'])
    .execute()
  await db.schema
    .createTable('deployment_file')
    .addColumn('deployment_id', 'integer', (c) => c.notNull().references('deployment.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('sealed_content', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('deployment_file_key', ['deployment_id', 'name'])
    .execute()
}
