import { type Kysely, sql } from 'kysely'

/**
 * Which service of an app a port of the machine leads to, at which address, and whether somebody wants it open. What releases published
 * by themselves until now stays with its app until the next release, which does without.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('published_port')
    .addColumn('service', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('published_port')
    .addColumn('target', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('published_port')
    .addColumn('address', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('published_port')
    .addColumn('is_wanted', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
  await sql`update published_port set is_wanted = 0`.execute(db)
}
