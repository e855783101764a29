import type { Kysely } from 'kysely'

/** The host of an order: the orders of names below the base domain have a limit of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('certificate_order')
    .addColumn('host', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}
