import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrate } from '../sqlite/migrate.ts'
import { migrations } from './index.ts'

let directory: string
let file: SqliteFile
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  file = new BetterSqlite(join(directory, 'some.sqlite'))
  file.pragma('foreign_keys = ON')
  await migrateTo(1)
  insert('user', { id: 1, role: 'owner' })
  insert('user', { id: 2, role: 'user' })
  insert('project', { id: 1, owner_id: 1 })
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
  const columns = file.prepare<[], { name: string; notnull: number; pk: number }>(`pragma table_info("${table}")`).all()
  const needed = columns
    .filter(({ notnull, pk }) => notnull === 1 && pk === 0)
    .map(({ name }) => [name, `${table} ${JSON.stringify(values)}`])
  const row = { ...Object.fromEntries(needed), ...values } as Record<string, unknown> // names of columns and values for them
  const names = Object.keys(row)
  const sql = `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map(() => '?').join(', ')})`
  file.prepare(sql).run(...Object.values(row))
}
function insertApp(id: number, createdBy: number): void {
  insert('app', { id, project_id: 1, created_by: createdBy })
}
function audit(actorId: number, action: string, appId: number, after: object = {}): void {
  insert('audit', { actor_id: actorId, action, subject: 'app', subject_id: appId, after: JSON.stringify(after) })
}
function setters(): unknown {
  return file.prepare('select id, source_set_by as setBy from app order by id').raw().all()
}

it('takes the person who last set the clone URL from the audit log, not the current owner', async () => {
  insertApp(1, 1)
  audit(1, 'app.create', 1)
  insertApp(2, 1)
  audit(2, 'app.create', 2)
  audit(2, 'app.transfer', 2, { owner: 1 })
  audit(1, 'app.update', 2, { git_branch: 'next' })
  insertApp(3, 2)
  audit(2, 'app.create', 3)
  audit(1, 'app.update', 3, { git_clone_url: 'https://git.example.com/a.git' })
  audit(2, 'app.update', 3, { description: 'mine' })
  await migrateTo(2)
  expect(setters()).toEqual([
    [1, 1],
    [2, 2],
    [3, 1],
  ])
})

it('stores nobody if that person was deleted or the audit log has no entry', async () => {
  insertApp(1, 1)
  audit(7, 'app.create', 1)
  insertApp(2, 1)
  await migrateTo(2)
  expect(setters()).toEqual([
    [1, null],
    [2, null],
  ])
})

it('clears the person if they are deleted later', async () => {
  insertApp(1, 1)
  audit(2, 'app.create', 1)
  await migrateTo(2)
  expect(setters()).toEqual([[1, 2]])
  file.prepare('delete from user where id = 2').run()
  expect(setters()).toEqual([[1, null]])
})
