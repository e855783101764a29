import type { Kysely } from 'kysely'

/** Failed logins of several processes on one database, which delay the next attempt at each of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('login_delay')
    .addColumn('slot', 'integer', (c) => c.primaryKey())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('failed_at', 'text', (c) => c.notNull())
    .execute()
}
