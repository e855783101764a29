import { type Kysely, sql } from 'kysely'
import { afterDelete } from '../dialect.ts'

/** Accounts on git hosts, and what an app remembers of a repository that it got through one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('git_account')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('via', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.references('user.id').onDelete('cascade'))
    .addColumn('project_id', 'integer', (c) => c.references('project.id').onDelete('cascade'))
    .addColumn('created_by', 'integer', (c) => c.references('user.id').onDelete('set null'))
    .addColumn('login', 'text', (c) => c.notNull())
    .addColumn('host_id', 'text', (c) => c.notNull())
    .addColumn('sealed_token', 'text', (c) => c.notNull())
    .addColumn('sealed_secret', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('error', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addCheckConstraint('git_account_belongs_to_one', sql`(user_id is null) <> (project_id is null)`)
    .execute()
  await db.schema.createIndex('git_account_user').on('git_account').column('user_id').execute()
  await db.schema.createIndex('git_account_project').on('git_account').column('project_id').execute()
  // An account goes with its person or its project. What used it must not meet another one under its id.
  const statement = `update app set git_provider_id = null, git_repository_id = '' where git_provider_id = old.id`
  await afterDelete(db, { name: 'git_account_gone', table: 'git_account', statement })
  for (const column of ['git_repository_id', 'git_commit_url'])
    await db.schema
      .alterTable('app')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute()
  await db.schema.createIndex('app_git_provider').on('app').column('git_provider_id').execute()
}
