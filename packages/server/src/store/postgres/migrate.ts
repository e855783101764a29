import { Kysely, sql, type Transaction } from 'kysely'
import type pg from 'pg'
import type { Migration } from '../migrations/index.ts'
import { missingMigrations } from '../migrations/missing.ts'
import { writerDialect } from './driver.ts'

const noWatcher = { answered: () => undefined, lost: () => undefined }

type Options = {
  migrations: readonly Migration[]
  now: () => Date
  /** Called before anything is changed in a database that was used before. */
  refuse?: (client: pg.Client) => Promise<void>
}

/** Applies the missing migrations in order, in one transaction. Forward only: to go back, restore a backup. */
export async function migrate(client: pg.Client, options: Options): Promise<void> {
  await inTransaction(client, async (tx) => await applyMigrations(client, tx, options))
}

/** What runs on the connection itself is part of the transaction too. */
export async function inTransaction<Result>(client: pg.Client, work: (tx: Transaction<unknown>) => Promise<Result>): Promise<Result> {
  const dialect = writerDialect({ take: async () => client, discard: () => undefined }, noWatcher)
  const db = new Kysely<unknown>({ dialect })
  return await db.transaction().execute(work)
}

export async function applyMigrations(client: pg.Client, tx: Transaction<unknown>, { migrations, now, refuse }: Options): Promise<void> {
  await sql`create table if not exists schema_migration
    (version bigint primary key, name text not null, applied_at text not null)`.execute(tx)
  const at = now().toISOString()
  const current = await appliedVersion(client)
  const missing = missingMigrations(migrations, current)
  if (current > 0 && missing.length > 0) await refuse?.(client)
  for (const { version, name, up } of missing) {
    await up(tx)
    await sql`insert into schema_migration (version, name, applied_at) values (${version}, ${name}, ${at})`.execute(tx)
  }
}

/** 0 for an empty database. */
export async function appliedVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ found: string | null }>(`select to_regclass('schema_migration')::text as found`)
  if (rows[0]?.found === null) return 0
  const versions = await client.query<{ version: number | null }>('select max(version) as version from schema_migration')
  return versions.rows[0]?.version ?? 0
}
