import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database } from './database.ts'
import { databasePath, openSqlite } from './sqlite.ts'

let dataDir: string
let database: Database
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'berth-store-'))
  database = await openSqlite({ dataDir, now: () => new Date(), onCommit: () => undefined })
  await put('a', 'first')
})
afterEach(async () => {
  await database.close()
  rmSync(dataDir, { recursive: true })
})

async function put(name: string, value: string): Promise<void> {
  await database.db.transaction(async (tx) => {
    await tx.deleteFrom('fact').where('name', '=', name).execute()
    await tx.insertInto('fact').values({ name, value }).execute()
  })
}

function read(name: string): readonly { value: string }[] {
  const query = database.db.selectFrom('fact').select('value').where('name', '=', '').compile()
  return database.db.cachedRead(query, name)
}

it('returns the same rows per key until something is committed', async () => {
  await put('b', 'other')
  expect([read('a'), read('b'), read('none')]).toEqual([[{ value: 'first' }], [{ value: 'other' }], []])
  expect(read('a')).toBe(read('a'))
})

it('sees our own commits at once, and nothing of a rolled-back transaction', async () => {
  const before = read('a')
  const failing = database.db.transaction(async (tx) => {
    await tx.deleteFrom('fact').execute()
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(read('a')).toEqual(before)
  await put('a', 'second')
  expect(read('a')).toEqual([{ value: 'second' }])
})

it('soon sees commits of another process', async () => {
  expect(read('a')).toEqual([{ value: 'first' }])
  const other = new BetterSqlite(databasePath(dataDir))
  other.prepare(`update fact set value = 'from outside' where name = 'a'`).run()
  other.close()
  await expect.poll(() => read('a')).toEqual([{ value: 'from outside' }])
})

it('does not keep rows that are large together', async () => {
  await put('large', 'x'.repeat(500_001))
  expect(read('large')).toEqual(read('large'))
  expect(read('large')).not.toBe(read('large'))
})
