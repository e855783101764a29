import { type Kysely, sql } from 'kysely'

/** Secrets for builds, and whether submodules and Git LFS files are fetched. Existing apps fetch neither, as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table build_secret (
    app_id integer not null references app (id) on delete cascade,
    name text not null,
    sealed_value text not null,
    primary key (app_id, name)
  )`.execute(db)
  for (const name of ['submodules', 'lfs'])
    await db.schema
      .alterTable('app')
      .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
}
