import { existsSync } from 'node:fs'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { StartRefused } from '../../lib/start-refused.ts'
import { migrations } from '../migrations/index.ts'
import { UNFINISHED_COPY } from './copy-facts.ts'

/** Of a database that no server uses: whole, and of a version that this Berth knows. It is read in one transaction. */
export async function withSqliteSource<Result>(
  path: string,
  work: (file: SqliteFile, instance: string) => Promise<Result>,
): Promise<Result> {
  const file = new BetterSqlite(path, { fileMustExist: true, timeout: 5000 })
  try {
    if (file.pragma('integrity_check(1)', { simple: true }) !== 'ok')
      throw new StartRefused(`The database ${path} is damaged. Restore a backup (see docs/operating.md).`)
    file.exec('begin')
    const version = file.prepare<[], { version: number | null }>('select max(version) as version from schema_migration').get()?.version ?? 0
    if (version > (migrations.at(-1)?.version ?? 0))
      throw new StartRefused(`The database ${path} was used by a newer version of Berth. Use that version.`)
    const instance = file.prepare<[], { value: string }>("select value from fact where name = 'instance_id'").get()?.value
    if (instance === undefined) throw new StartRefused(`The database ${path} was never used. Start Berth once first.`)
    return await work(file, instance)
  } finally {
    file.close()
  }
}

/** Whether it is a copy that was made and never used. */
export function isUnfinishedCopy(path: string): boolean {
  if (!existsSync(path)) return false
  const file = new BetterSqlite(path, { fileMustExist: true })
  try {
    return file.prepare('select 1 from fact where name = ?').get(UNFINISHED_COPY) !== undefined
  } finally {
    file.close()
  }
}

export function markUnfinished(path: string, at: Date): void {
  const file = new BetterSqlite(path, { fileMustExist: true })
  try {
    file.pragma('synchronous = FULL')
    file.prepare('insert or replace into fact (name, value) values (?, ?)').run(UNFINISHED_COPY, at.toISOString())
  } finally {
    file.close()
  }
}
