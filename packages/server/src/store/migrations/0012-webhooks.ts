import type { Kysely } from 'kysely'

/** Deliveries of git hosts, the webhooks that we registered there, and what an app does about a push. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('auto_deploy', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
  await db.schema
    .alterTable('app')
    .addColumn('watch_paths', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .alterTable('deployment')
    .addColumn('commit_url', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  let delivery = db.schema
    .createTable('git_delivery')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('account_id', 'integer', (c) => c.notNull().references('git_account.id').onDelete('cascade'))
  const texts = [
    'delivery',
    'provider',
    'event',
    'repository',
    'branch',
    'commit_hash',
    'result',
    'reason',
    'headers',
    'push',
    'received_at',
  ]
  for (const column of texts) delivery = delivery.addColumn(column, 'text', (c) => c.notNull())
  await delivery.addColumn('body', 'blob', (c) => c.notNull()).execute()
  await db.schema.createIndex('git_delivery_once').on('git_delivery').columns(['account_id', 'delivery']).unique().execute()
  await db.schema.createIndex('git_delivery_received').on('git_delivery').column('received_at').execute()
  await db.schema
    .createTable('git_delivery_app')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('delivery_id', 'integer', (c) => c.notNull().references('git_delivery.id').onDelete('cascade'))
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
    .addColumn('deployment_id', 'integer', (c) => c.references('deployment.id').onDelete('set null'))
    .execute()
  await db.schema.createIndex('git_delivery_app_delivery').on('git_delivery_app').column('delivery_id').execute()
  await db.schema.createIndex('git_delivery_app_app').on('git_delivery_app').column('app_id').execute()
  await db.schema
    .createTable('git_hook')
    .addColumn('account_id', 'integer', (c) => c.notNull().references('git_account.id').onDelete('cascade'))
    .addColumn('repository_id', 'text', (c) => c.notNull())
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('hook_id', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('error', 'text', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('next_try_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('git_hook_key', ['account_id', 'repository_id'])
    .execute()
}
