import type { Kysely } from 'kysely'

/** Several processes on one database: who is there, who holds what only one does, and the fence of each claim of a job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('control_plane')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('boot_id', 'text', (c) => c.notNull())
    .addColumn('heartbeat_at', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('keys', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('lease')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('fence', 'integer', (c) => c.notNull())
    .addColumn('until', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .alterTable('job')
    .addColumn('fence', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
