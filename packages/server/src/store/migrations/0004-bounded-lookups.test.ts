import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

let file: SqliteFile
beforeEach(() => {
  file = new BetterSqlite(':memory:')
})
afterEach(() => void file.close())

async function migrateTo(version: number): Promise<void> {
  const wanted = migrations.filter((migration) => migration.version <= version)
  await migrate(file, { migrations: wanted, backupDir: '/nowhere', now: () => new Date(0) })
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
