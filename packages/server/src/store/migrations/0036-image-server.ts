import type { Kysely } from 'kysely'

/** What other servers trust when they pull images from this Berth, and the password for it. One row, made when it is first needed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('image_server')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('certificate', 'text', (c) => c.notNull())
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('sealed_password', 'text', (c) => c.notNull())
    .execute()
}
