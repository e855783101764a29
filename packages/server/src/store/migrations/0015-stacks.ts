import type { Kysely } from 'kysely'

/** Services of a compose app that a person stopped, and those that have domains of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('stopped_services', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .alterTable('domain')
    .addColumn('service', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('domain').addColumn('port', 'integer').execute()
}
