import { type Kysely, sql } from 'kysely'

/** GitHub Apps and their installations, a secret for each webhook, and what tells a late or repeated delivery from a new one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createGitHubTables(db)
  await db.schema
    .alterTable('git_account')
    .addColumn('github_app_id', 'integer', (c) => c.references('github_app.id').onDelete('cascade'))
    .execute()
  await db.schema
    .createIndex('git_account_installation')
    .on('git_account')
    .columns(['github_app_id', 'host_id'])
    .unique()
    .where(sql.ref('github_app_id'), 'is not', null)
    .execute()
  const newTexts = {
    git_hook: ['sealed_secret'],
    git_delivery: ['repository_id', 'before_hash', 'pushed_at', 'fingerprint'],
    git_delivery_app: ['reason'],
  }
  for (const [table, columns] of Object.entries(newTexts))
    for (const column of columns)
      await db.schema
        .alterTable(table)
        .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
        .execute()
  await db.schema
    .alterTable('git_delivery')
    .addColumn('is_late', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await indexDeliveries(db)
}

async function createGitHubTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('github_app')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('host_id', 'text', (c) => c.notNull())
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('hook_key', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', 'integer', (c) => c.references('user.id').onDelete('cascade'))
    .addColumn('project_id', 'integer', (c) => c.references('project.id').onDelete('cascade'))
    .addColumn('created_by', 'integer', (c) => c.references('user.id').onDelete('set null'))
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('sealed_secret', 'text', (c) => c.notNull())
    .addColumn('hook_url', 'text', (c) => c.notNull())
    .addColumn('hook_error', 'text', (c) => c.notNull())
    .addColumn('hook_failures', 'integer', (c) => c.notNull())
    .addColumn('hook_next_try_at', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addCheckConstraint('github_app_belongs_to_one', sql`(user_id is null) <> (project_id is null)`)
    .execute()
  await db.schema.createIndex('github_app_once').on('github_app').columns(['base_url', 'host_id']).unique().execute()
  await db.schema.createIndex('github_app_user').on('github_app').column('user_id').execute()
  await db.schema.createIndex('github_app_project').on('github_app').column('project_id').execute()
  await db.schema
    .createTable('github_state')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('hook_key', 'text', (c) => c.notNull())
    .addColumn('project_id', 'integer', (c) => c.references('project.id').onDelete('cascade'))
    .addColumn('github_app_id', 'integer', (c) => c.references('github_app.id').onDelete('cascade'))
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('github_state_session').on('github_state').column('session_id').execute()
}

async function indexDeliveries(db: Kysely<unknown>): Promise<void> {
  await sql`create unique index git_delivery_signed_once on git_delivery (account_id, fingerprint) where fingerprint <> ''`.execute(db)
  await db.schema.createIndex('git_delivery_branch').on('git_delivery').columns(['account_id', 'repository_id', 'branch']).execute()
  await sql`delete from git_delivery_app where id not in (select max(id) from git_delivery_app group by delivery_id, app_id)`.execute(db)
  await db.schema.dropIndex('git_delivery_app_delivery').execute()
  await db.schema.createIndex('git_delivery_app_once').on('git_delivery_app').columns(['delivery_id', 'app_id']).unique().execute()
}
