import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

/** In which order registries became private: the oldest ones are forgotten first. SQLite knew it by the place of the row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('private_host')
    .addColumn('number', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  if (dialectOf(db) === 'sqlite') await sql`update private_host set number = rowid`.execute(db)
}
