import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

let directory: string
let file: SqliteFile
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  file = new BetterSqlite(join(directory, 'some.sqlite'))
  file.pragma('foreign_keys = OFF') // people and projects have no part in it
  await migrateTo(4)
  insert('app', { id: 1, app_type: 'web' })
  insert('app', { id: 2, app_type: 'compose' })
})
afterEach(() => {
  file.close()
  rmSync(directory, { recursive: true })
})

async function migrateTo(version: number): Promise<void> {
  const wanted = migrations.filter((migration) => migration.version <= version)
  await migrate(file, { migrations: wanted, backupDir: directory, now: () => new Date(0) })
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

it('an image stays one, and the service of a compose release gets its own column', async () => {
  insert('deployment', { id: 1, app_id: 1, number: 1, image: 'berth/a:release' })
  insert('deployment', { id: 2, app_id: 1, number: 2, image: '' })
  insert('deployment', { id: 3, app_id: 2, number: 1, image: 'web' })
  insert('deployment', { id: 4, app_id: 2, number: 2, image: '' })
  await migrateTo(5)
  expect(file.prepare('select id, image, main_service from deployment order by id').raw().all()).toEqual([
    [1, 'berth/a:release', ''],
    [2, '', ''],
    [3, '', 'web'],
    [4, '', ''],
  ])
})

it('no release has both', async () => {
  await migrateTo(5)
  expect(() => insert('deployment', { id: 1, app_id: 1, number: 1, image: 'berth/a:release', main_service: 'web' })).toThrow(/CHECK/)
})
