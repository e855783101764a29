import type { Kysely } from 'kysely'

/** What is known of a failure beyond its sentence. Of deployments that failed before, nothing is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('deployment')
    .addColumn('failure', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}
