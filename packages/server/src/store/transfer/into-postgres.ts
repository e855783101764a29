import type { Database as SqliteFile } from 'better-sqlite3'
import pg from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import { migrations } from '../migrations/index.ts'
import { applyMigrations, inTransaction } from '../postgres/migrate.ts'
import { MARK, UNFINISHED_COPY } from './copy-facts.ts'
import { readCopyState } from './copy-state.ts'
import { type CopiedTable, copyTables } from './copy-tables.ts'
import { postgresTarget } from './postgres-side.ts'
import { quoted } from './side.ts'
import { sqliteSource } from './sqlite-side.ts'

/** Tables are dropped for a copy, which waits for everybody who reads them. */
const LOCKED =
  'Something else is using the tables of the database, such as pg_dump or an open transaction in psql. Wait for it or end it, and try again.'
const LOCK_NOT_AVAILABLE = '55P03'
const IN_USE = 'The database of BERTH_DATABASE_URL is not empty. Create an empty one, and set BERTH_DATABASE_URL to it.'

/** Once the data directory belongs to it. */
export async function finishCopy(client: pg.Client): Promise<void> {
  await client.query('delete from fact where name = $1', [UNFINISHED_COPY])
}

async function refuseUsed(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*) as n from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')`,
  )
  if (rows[0]?.n !== 0) throw new StartRefused(IN_USE)
}

/** The tables and triggers of Berth's user. A view of somebody else on one of them makes it fail. */
async function dropOwn(client: pg.Client): Promise<void> {
  const mine = 'pg_get_userbyid(owner) = current_user and namespace = current_schema()::regnamespace'
  const { rows: tables } = await client.query<{ name: string }>(
    `select name from (select relname as name, relowner as owner, relnamespace as namespace from pg_class where relkind = 'r') t where ${mine}`,
  )
  const { rows: functions } = await client.query<{ name: string }>(
    `select name from (select proname as name, proowner as owner, pronamespace as namespace from pg_proc
      where prorettype = 'trigger'::regtype) f where ${mine}`,
  )
  for (const { name } of functions) await client.query(`drop function ${quoted(name)}() cascade`)
  if (tables.length > 0) await client.query(`drop table ${tables.map(({ name }) => quoted(name)).join(', ')}`)
}

type Options = {
  now: () => Date
  /** What is there is replaced. Otherwise the database has to be empty, or to have a copy that nobody finished. */
  replaces?: boolean
}

/**
 * Copies a whole SQLite database into PostgreSQL, in one transaction: whenever it is interrupted, nothing has changed. The copy is an
 * unfinished one until `finishCopy`, unless it replaces what was there.
 */
export async function copyIntoPostgres(file: SqliteFile, client: pg.Client, { now, replaces = false }: Options): Promise<CopiedTable[]> {
  if (!replaces && !(await readCopyState(client)).isUnfinished) await refuseUsed(client)
  const version = file.prepare<[], { version: number | null }>('select max(version) as version from schema_migration').get()?.version ?? 0
  return await inTransaction(client, async (tx) => {
    await client.query(`set local lock_timeout = '10s'`)
    await dropOwn(client).catch((cause: unknown) => {
      throw cause instanceof pg.DatabaseError && cause.code === LOCK_NOT_AVAILABLE ? new StartRefused(LOCKED, { cause }) : cause
    })
    await applyMigrations(client, tx, { migrations: migrations.filter((each) => each.version <= version), now })
    const target = await postgresTarget(client)
    const copied = await copyTables(sqliteSource(file), target)
    await target.finish()
    if (!replaces) await client.query(MARK, [UNFINISHED_COPY, now().toISOString()])
    return copied
  })
}
