import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Migration } from '../migrations/index.ts'
import { migrate } from './migrate.ts'

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

const tables = (n: number): Migration => ({
  version: n,
  name: `000${n}-table`,
  up: async (db) => {
    await db.schema.createTable(`table_${n}`).addColumn('id', 'integer').execute()
  },
})
const breaks: Migration = {
  version: 3,
  name: '0003-breaks',
  up: async (db) => {
    await db.schema.createTable('half').addColumn('id', 'integer').execute()
    await sql`insert into nowhere values (1)`.execute(db)
  },
}

async function run(...migrations: Migration[]): Promise<void> {
  await migrate(file, { migrations, backupDir: directory, now: () => new Date('2026-01-02T03:04:05Z') })
}
function tableNames(): unknown[] {
  return file.prepare(`select name from sqlite_master where type = 'table' order by name`).pluck().all()
}
function copies(): string[] {
  return readdirSync(directory).filter((name) => name.startsWith('before-'))
}

it('applies the missing migrations in order, and records them', async () => {
  await run(tables(1))
  await run(tables(1), tables(2))
  await run(tables(1), tables(2))
  expect(tableNames()).toEqual(['schema_migration', 'table_1', 'table_2'])
  expect(file.prepare('select version, applied_at as at from schema_migration').all()).toEqual([
    { version: 1, at: '2026-01-02T03:04:05.000Z' },
    { version: 2, at: '2026-01-02T03:04:05.000Z' },
  ])
})

it('copies a database that is in use before it changes it, and only then', async () => {
  await run(tables(1))
  expect(copies()).toEqual([])
  file.prepare('insert into table_1 values (7)').run()
  await run(tables(1), tables(2))
  expect(copies()).toEqual(['before-version-2-2026-01-02T030405.000Z.sqlite'])
  const copy = new BetterSqlite(join(directory, copies()[0] ?? ''), { readonly: true })
  expect(copy.prepare('select id from table_1').pluck().all()).toEqual([7])
  expect(copy.prepare(`select name from sqlite_master where name = 'table_2'`).all()).toEqual([])
  copy.close()
})

it('a migration that fails is rolled back as a whole', async () => {
  await run(tables(1))
  await expect(run(tables(1), tables(2), breaks)).rejects.toThrow(/nowhere/)
  expect(tableNames()).toEqual(['schema_migration', 'table_1'])
  expect(file.prepare('select max(version) from schema_migration').pluck().get()).toBe(1)
})

it('refuses to go backwards', async () => {
  await run(tables(1), tables(2))
  await expect(run(tables(1))).rejects.toThrow('The database has version 2, but this Berth only supports versions up to 1')
})
