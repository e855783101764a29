import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import type pg from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import { migrations } from '../migrations/index.ts'
import { appliedVersion } from '../postgres/migrate.ts'
import { migrate } from '../sqlite/migrate.ts'
import { MARK, MOVED_AWAY } from './copy-facts.ts'
import { type CopiedTable, CopyFailed, copyTables } from './copy-tables.ts'
import { postgresSource } from './postgres-side.ts'
import { sqliteTarget } from './sqlite-side.ts'

/**
 * Copies a whole PostgreSQL database into a new SQLite file, also while Berth runs: everything is read from one snapshot. A file that is
 * not whole is removed.
 */
export async function copyOutOfPostgres(client: pg.Client, path: string, { now }: { now: () => Date }): Promise<CopiedTable[]> {
  await client.query('begin transaction isolation level repeatable read read only')
  await client.query('set local idle_in_transaction_session_timeout = 0') // checking and saving a large copy takes long
  const version = await appliedVersion(client)
  if (version === 0) throw new StartRefused('The database of BERTH_DATABASE_URL is empty.')
  if (version > (migrations.at(-1)?.version ?? 0))
    throw new StartRefused('The database of BERTH_DATABASE_URL was used by a newer version of Berth. Use that version.')
  const file = createFile(path)
  try {
    await migrate(file, { migrations: migrations.filter((each) => each.version <= version), backupDir: dirname(path), now })
    const copied = await fill(file, client)
    file.close()
    sync(path)
    await client.query('commit')
    return copied
  } catch (cause) {
    file.close()
    rmSync(path, { force: true })
    throw cause
  }
}

/** Not safe against a crash before `sync`, and much faster. */
function createFile(path: string): SqliteFile {
  closeSync(openSync(path, 'wx', 0o600))
  const file = new BetterSqlite(path)
  file.pragma('journal_mode = MEMORY')
  file.pragma('synchronous = OFF')
  file.pragma('foreign_keys = OFF')
  return file
}

async function fill(file: SqliteFile, client: pg.Client): Promise<CopiedTable[]> {
  file.exec('begin')
  const target = sqliteTarget(file)
  const copied = await copyTables(postgresSource(client, await target.tables()), target)
  const [broken] = file.prepare<[], { table: string }>('pragma foreign_key_check').all()
  if (broken) throw new CopyFailed(`a row of the table ${broken.table} refers to one that does not exist`)
  file.exec('commit')
  return copied
}

function sync(path: string): void {
  for (const each of [path, dirname(path)]) {
    const file = openSync(each, 'r')
    fsyncSync(file)
    closeSync(file)
  }
}

/** From now on this database is an old state of an instance that is elsewhere. */
export async function markMoved(client: pg.Client, at: Date): Promise<void> {
  await client.query(MARK, [MOVED_AWAY, at.toISOString()])
}
