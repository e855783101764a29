import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database } from '../database.ts'
import { databasePath, openSqlite } from './open.ts'

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

async function read(name: string): Promise<readonly { value: string }[]> {
  const query = database.db.selectFrom('fact').select('value').where('name', '=', '').compile()
  return await database.db.cachedRead(query, name)
}

it('returns the same rows per key until something is committed', async () => {
  await put('b', 'other')
  expect([await read('a'), await read('b'), await read('none')]).toEqual([[{ value: 'first' }], [{ value: 'other' }], []])
  expect(await read('a')).toBe(await read('a'))
})

it('sees our own commits at once, and nothing of a rolled-back transaction', async () => {
  const before = await read('a')
  const failing = database.db.transaction(async (tx) => {
    await tx.deleteFrom('fact').execute()
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await read('a')).toEqual(before)
  await put('a', 'second')
  expect(await read('a')).toEqual([{ value: 'second' }])
})

it('soon sees commits of another process', async () => {
  expect(await read('a')).toEqual([{ value: 'first' }])
  const other = new BetterSqlite(databasePath(dataDir))
  other.prepare(`update fact set value = 'from outside' where name = 'a'`).run()
  other.close()
  await expect.poll(() => read('a')).toEqual([{ value: 'from outside' }])
})

it('does not keep rows that are large together', async () => {
  await put('large', 'x'.repeat(500_001))
  expect(await read('large')).toEqual(await read('large'))
  expect(await read('large')).not.toBe(await read('large'))
})
