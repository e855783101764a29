import type { Kysely } from 'kysely'

/** Services of a compose app that a person stopped. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('stopped_services', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
}
