import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ownPostgres } from '../../../testing/harness/own-postgres.ts'
import { withConnection } from '../postgres/open.ts'
import { openSqlite } from '../sqlite/open.ts'
import { copyTables, sumOf } from './copy-tables.ts'
import { copyIntoPostgres } from './into-postgres.ts'
import { copyOutOfPostgres } from './out-of-postgres.ts'
import { postgresSource, postgresTarget } from './postgres-side.ts'
import type { Target } from './side.ts'
import { sqliteSource } from './sqlite-side.ts'

const ROWS = 1234
const now = () => new Date('2026-01-01T00:00:00Z')
let dir: string
let postgres: { url: string; drop: () => Promise<void> }

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'berth-copy-'))
  const database = await openSqlite({ dataDir: dir, now, onCommit: () => undefined })
  await database.close()
  const file = new BetterSqlite(join(dir, 'berth.sqlite'))
  const add = file.prepare('insert into fact (name, value) values (?, ?)')
  for (let n = 0; n < ROWS; n += 1) add.run(`fact-${n}`, `value ${n}`.repeat(n % 50))
  add.run('nul', 'a\0b')
  file.close()
  const own = await ownPostgres({ isEmpty: true })
  if (!own) throw new Error('these tests need PostgreSQL')
  postgres = own
})
afterEach(async () => {
  await postgres.drop()
  rmSync(dir, { recursive: true })
})

it('copies every row there and back with the same checksums', async () => {
  const file = new BetterSqlite(join(dir, 'berth.sqlite'))
  const there = await withConnection(postgres.url, async (client) => await copyIntoPostgres(file, client, { now, replaces: true }))
  const back = join(dir, 'back.sqlite')
  expect(await withConnection(postgres.url, async (client) => await copyOutOfPostgres(client, back, { now }))).toEqual(there)
  expect(there.find(({ table }) => table === 'fact')?.rows).toBe(ROWS + 1)
  const copy = new BetterSqlite(back)
  expect(copy.prepare("select value from fact where name = 'nul'").pluck().get()).toBe('a\uFFFDb')
  for (const { table, checksum } of there) {
    const columns = (await sqliteSource(copy).tables()).get(table) ?? []
    expect((await sumOf(sqliteSource(copy), table, columns)).checksum).toBe(checksum)
  }
  file.close()
  copy.close()
})

it('a table that somebody else is reading is not waited for without end', async () => {
  const file = new BetterSqlite(join(dir, 'berth.sqlite'))
  const copy = async () =>
    await withConnection(postgres.url, async (client) => await copyIntoPostgres(file, client, { now, replaces: true }))
  await copy()
  await withConnection(postgres.url, async (reader) => {
    await reader.query('begin')
    await reader.query('select * from fact limit 1')
    await expect(copy()).rejects.toThrow(/^Something else is using the tables of the database/)
  })
  expect(await copy()).not.toEqual([])
  file.close()
})

it.each([
  ['another checksum', (rows: readonly (readonly unknown[])[]) => rows.map(([name, value]) => [name, `${String(value)}.`])],
  [`instead of ${ROWS + 1}`, (rows: readonly (readonly unknown[])[]) => rows.slice(1)],
])('a copy that differs is noticed: %s', async (words, change) => {
  const file = new BetterSqlite(join(dir, 'berth.sqlite'))
  await withConnection(postgres.url, async (client) => {
    await copyIntoPostgres(file, client, { now, replaces: true })
    await client.query('begin')
    const target = await postgresTarget(client)
    const insert: Target['insert'] = async (table, columns, rows) =>
      await target.insert(table, columns, table === 'fact' ? (change(rows) as typeof rows) : rows)
    await expect(copyTables(sqliteSource(file), { ...target, insert })).rejects.toThrow(words)
    await client.query('rollback')
    const columns = (await postgresSource(client).tables()).get('fact') ?? []
    await client.query('begin')
    expect((await sumOf(postgresSource(client), 'fact', columns)).rows).toBe(ROWS + 1)
  })
  file.close()
})
