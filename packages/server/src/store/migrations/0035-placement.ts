import type { Kysely } from 'kysely'

/** Which servers may run an app. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('placement', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}
