import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { migrations } from '../../src/store/migrations/index.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'

/**
 * A database of an earlier version, for testing migrations. Foreign keys are not checked, because most rows are irrelevant to a
 * migration.
 */
export async function openOldDatabase(version: number) {
  const directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  const file = new BetterSqlite(join(directory, 'some.sqlite'))
  file.pragma('foreign_keys = OFF')

  async function migrateTo(wanted: number): Promise<void> {
    const upTo = migrations.filter((migration) => migration.version <= wanted)
    await migrate(file, { migrations: upTo, backupDir: directory, now: () => new Date(0) })
  }

  /** A row with these values, and something in every other column that must have a value. */
  function insert(table: string, values: Record<string, unknown>): void {
    const columns = file.prepare<[], { name: string; notnull: number }>(`pragma table_info("${table}")`).all()
    const needed = columns.filter(({ notnull }) => notnull === 1).map(({ name }) => [name, `${table} ${JSON.stringify(values)}`])
    const row = { ...Object.fromEntries(needed), ...values } as Record<string, unknown> // names of columns and values for them
    const names = Object.keys(row)
    const sql = `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map(() => '?').join(', ')})`
    file.prepare(sql).run(...Object.values(row))
  }

  await migrateTo(version)
  return {
    file,
    migrateTo,
    insert,
    [Symbol.dispose](): void {
      file.close()
      rmSync(directory, { recursive: true })
    },
  }
}
