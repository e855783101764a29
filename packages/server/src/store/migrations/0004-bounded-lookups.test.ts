import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrate } from '../sqlite/migrate.ts'
import { migrations } from './index.ts'

let directory: string
let file: SqliteFile
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  file = new BetterSqlite(join(directory, 'some.sqlite'))
})
afterEach(() => {
  file.close()
  rmSync(directory, { recursive: true })
})

async function migrateTo(version: number): Promise<void> {
  const wanted = migrations.filter((migration) => migration.version <= version)
  await migrate(file, { migrations: wanted, backupDir: directory, now: () => new Date(0) })
}
function planOf(sql: string): string {
  const rows = file.prepare<[], { detail: string }>(`explain query plan ${sql}`).all()
  return rows.map(({ detail }) => detail).join('\n')
}

it.each([
  `select id from project where slug = 'shop'`,
  `select id from app where project_id = 1 and slug = 'shop'`,
  'select count(*) from project where owner_id = 1',
  'select count(*) from deployment where finished_at is null and app_id = 1',
  'select count(*) from deployment where finished_at is null and triggered_by = 1',
])('finds by an index: %s', async (sql) => {
  await migrateTo(4)
  expect(planOf(sql)).toMatch(/^SEARCH .* USING (COVERING )?INDEX/)
})

it('a waiting job counts for the person who requested the deployment', async () => {
  await migrateTo(3)
  file.pragma('foreign_keys = OFF')
  const columns = file.prepare<[], { name: string }>('pragma table_info(deployment)').all()
  const others = columns.map(({ name }) => name).filter((name) => !['id', 'triggered_by', 'finished_at'].includes(name))
  const names = others.map((name) => `"${name}"`).join(', ')
  file.exec(`insert into deployment (id, triggered_by, ${names}) values (7, 3, ${others.map(() => '0').join(', ')})`)
  const insert = file.prepare(`insert into job (name, payload, lane, run_at, attempts, created_at) values (?, ?, 'app:1', '', 0, '')`)
  insert.run('deployment.run', '{"deploymentId":7,"appId":1}')
  insert.run('app.remove', '{"appId":1}')
  await migrateTo(4)
  expect(file.prepare('select tenant from job order by id').pluck().all()).toEqual(['user:3', ''])
  const held = `select count(*) from job where tenant = 'user:3' and name = 'deployment.run' and lease_until is not null`
  expect(planOf(held)).toMatch(/^SEARCH .* USING INDEX job_held/)
})
