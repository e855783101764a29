import { type Kysely, sql } from 'kysely'

/** Whether a person chose the webhook secret of a GitHub App and so knows it: 1 for all that were connected by hand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('github_app')
    .addColumn('chosen_secret', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`update github_app set chosen_secret = 1 where hook_url = ''`.execute(db)
}
