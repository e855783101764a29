import { existsSync, statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
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
