import { type Kysely, sql } from 'kysely'

/** Ways to a source beside an account: deploy hooks, deploy keys and polls; and what the host of an account has to be told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['hook_hash', 'deploy_key', 'host_key'])
    await db.schema
      .alterTable('app')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute()
  await db.schema.alterTable('app').addColumn('poll_source', 'integer').execute()
  // Nobody who has an app already expects that pushes without a webhook deploy it.
  await sql`update app set poll_source = 0 where git_provider_id is null`.execute(db)
  await db.schema
    .createTable('deploy_key')
    .addColumn('app_id', 'integer', (c) => c.primaryKey().references('app.id').onDelete('cascade'))
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('source_poll')
    .addColumn('app_id', 'integer', (c) => c.primaryKey().references('app.id').onDelete('cascade'))
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('commit_hash', 'text', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('commit_status')
    .addColumn('deployment_id', 'integer', (c) => c.primaryKey().references('deployment.id').onDelete('cascade'))
    .addColumn('sent', 'text', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'text')
    .execute()
  await db.schema.createIndex('commit_status_due').on('commit_status').column('next_at').execute()
}
