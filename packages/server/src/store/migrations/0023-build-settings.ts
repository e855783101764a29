import type { Kysely } from 'kysely'

/** Secrets for builds, and whether submodules and Git LFS files are fetched. Existing apps fetch neither, as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('build_secret')
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('sealed_value', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('build_secret_key', ['app_id', 'name'])
    .execute()
  for (const name of ['submodules', 'lfs'])
    await db.schema
      .alterTable('app')
      .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
}
