import { existsSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { DamagedBackup } from './damaged-backup.ts'

export type DatabaseFacts = { readonly instance: string; readonly schemaVersion: number; readonly apps: number; readonly people: number }

/** A consistent copy, even while the server writes. */
export function copyDatabase(path: string, target: string): void {
  const file = new BetterSqlite(path, { readonly: true, fileMustExist: true, timeout: 30_000 })
  try {
    file.prepare('vacuum into ?').run(target)
  } finally {
    file.close()
  }
}

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
