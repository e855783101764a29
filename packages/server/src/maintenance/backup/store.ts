import { existsSync, statSync } from 'node:fs'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { postgresInstance, refusePostgresHere, refuseSqliteHere } from '../../store/data-directory-owner.ts'
import type { DatabaseConfig } from '../../store/open.ts'
import { withConnection } from '../../store/postgres/open.ts'
import { withRawReads } from '../../store/raw-reads.ts'
import { databasePath } from '../../store/sqlite/open.ts'
import { usableInstance } from '../../store/transfer/copy-state.ts'
import { copyOutOfPostgres } from '../../store/transfer/out-of-postgres.ts'
import { DamagedBackup } from './damaged-backup.ts'

type Place = { readonly dataDir: string; readonly database: DatabaseConfig }
export type DatabaseFacts = { readonly instance: string; readonly schemaVersion: number; readonly apps: number; readonly people: number }

/** A consistent copy as a SQLite file, even while the server writes. */
export async function copyDatabase({ dataDir, database }: Place, target: string): Promise<void> {
  if (database.kind === 'postgres') {
    refusePostgresHere(dataDir, await usableInstance(database.url, postgresInstance(dataDir)))
    await withConnection(database.url, async (client) => await copyOutOfPostgres(client, target, { now: () => new Date() }))
    return
  }
  refuseSqliteHere(dataDir)
  const file = new BetterSqlite(databasePath(dataDir), { readonly: true, fileMustExist: true, timeout: 30_000 })
  try {
    file.prepare('vacuum into ?').run(target)
  } finally {
    file.close()
  }
}

/** About how many bytes such a copy has. */
export async function databaseBytes({ dataDir, database }: Place): Promise<number> {
  if (database.kind === 'sqlite') return statSync(databasePath(dataDir)).size
  const [size] = await withRawReads({ dataDir, database }, async (read) => await read<{ n: number }>(SIZE))
  return size?.n ?? 0
}

const SIZE = 'select pg_database_size(current_database()) as n'

/** Opens the database of a backup, and refuses a damaged one. */
export function readDatabase(path: string): DatabaseFacts {
  if (!existsSync(path)) throw new DamagedBackup('it has no database')
  const file = new BetterSqlite(path, { readonly: true })
  try {
    const answer: unknown = file.pragma('integrity_check(1)', { simple: true })
    if (answer !== 'ok') throw new DamagedBackup('its database is damaged')
    const number = (sql: string) => file.prepare<[], { n: number | null }>(sql).get()?.n ?? 0
    return {
      instance: file.prepare<[], { value: string }>("select value from fact where name = 'instance_id'").get()?.value ?? '',
      schemaVersion: number('select max(version) as n from schema_migration'),
      apps: number('select count(*) as n from app'),
      people: number('select count(*) as n from user'),
    }
  } catch (cause) {
    if (cause instanceof DamagedBackup) throw cause
    throw new DamagedBackup('its database cannot be read', { cause })
  } finally {
    file.close()
  }
}

/** Nobody is logged in to a restored instance. */
export function endAllSessions(path: string): void {
  const file = new BetterSqlite(path)
  try {
    file.exec('delete from session')
  } finally {
    file.close()
  }
}

const FIRST_TICK = Date.UTC(2026, 0, 1)
const TICK_MS = 100
/** Only if the ids are above the clock, which was set back then. */
const STEP = 1_000_000

/**
 * No id is given a second time: what was made after the backup may still be in the engine under its id. The clock is the one mark that no
 * backup takes back. Rows are added more slowly than ten times a second, so no id is ever above it (docs/decisions/0020-ids-after-a-restore.md).
 */
export function raiseIds(path: string, { madeAt, now }: { madeAt: Date; now: Date }): void {
  const newest = Math.max(madeAt.getTime(), now.getTime()) // the clock of this machine may be behind
  const floor = Math.floor((newest - FIRST_TICK) / TICK_MS)
  const file = new BetterSqlite(path)
  try {
    file.transaction(() => raiseCounters(file, floor))()
  } finally {
    file.close()
  }
}

function raiseCounters(file: SqliteFile, floor: number): void {
  const tables = "select name from sqlite_master where type = 'table' and sql like '%autoincrement%'"
  for (const { name } of file.prepare<[], { name: string }>(tables).all()) {
    const last = file.prepare<[string], { seq: number }>('select seq from sqlite_sequence where name = ?').get(name)?.seq ?? 0
    file.prepare('delete from sqlite_sequence where name = ?').run(name) // there is no unique key, and no row before the first insert
    file.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, last < floor ? floor : last + STEP)
  }
}
