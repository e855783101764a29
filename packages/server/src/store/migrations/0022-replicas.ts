import type { Kysely } from 'kysely'

/** How many containers of an app run at once. Existing apps keep one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('replicas', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
}
