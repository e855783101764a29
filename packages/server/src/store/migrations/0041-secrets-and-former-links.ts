import { type Kysely, sql } from 'kysely'

/**
 * Whether a person chose the webhook secret of a GitHub App and so knows it: 1 for all that were connected by hand. And the links to commits
 * of repositories that were renamed since.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('github_app')
    .addColumn('chosen_secret', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`update github_app set chosen_secret = 1 where hook_url = ''`.execute(db)
  await db.schema
    .createTable('git_former_link')
    .addColumn('account_id', 'integer', (c) => c.notNull().references('git_account.id').onDelete('cascade'))
    .addColumn('repository_id', 'text', (c) => c.notNull())
    .addColumn('commit_url', 'text', (c) => c.notNull())
    .addColumn('noted_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('git_former_link_pk', ['account_id', 'repository_id', 'commit_url'])
    .execute()
}
