import type { Kysely } from 'kysely'

/** Build settings of apps, the build plan of a deployment, and the state of its release command. Existing apps are built as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const texts = ['install_command', 'build_command', 'start_command', 'output_directory', 'release_command', 'build_target']
  for (const [name, value] of [['builder', 'auto'], ...texts.map((text) => [text, '']), ['build_args', '{}']])
    await db.schema
      .alterTable('app')
      .addColumn(name ?? '', 'text', (c) => c.notNull().defaultTo(value))
      .execute()
  await db.schema
    .alterTable('deployment')
    .addColumn('without_cache', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('deployment')
    .addColumn('release_run', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createTable('deployment_plan')
    .addColumn('deployment_id', 'integer', (c) => c.primaryKey().references('deployment.id').onDelete('cascade'))
    .addColumn('plan', 'text', (c) => c.notNull())
    .execute()
}
