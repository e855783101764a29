import type { Kysely } from 'kysely'

/** The processes of an app beside its main one, and those of a release. Existing apps and releases have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['app', 'deployment'])
    await db.schema
      .alterTable(table)
      .addColumn('processes', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute()
}
