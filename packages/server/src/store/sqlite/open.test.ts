import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartRefused } from '../../lib/start-refused.ts'
import { migrations } from '../migrations/index.ts'
import { databasePath, openSqlite } from './open.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'berth-store-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

let commits = 0
async function open() {
  return await openSqlite({ dataDir, now: () => new Date(), onCommit: () => (commits += 1) })
}

function hashOfDatabase(): string {
  return createHash('sha256')
    .update(readFileSync(databasePath(dataDir)))
    .digest('hex')
}

describe('opening the database', () => {
  it('creates the database in an empty directory, and opens it again unchanged', async () => {
    await (await open()).close()
    await (await open()).close()
    const file = new BetterSqlite(databasePath(dataDir), { readonly: true })
    expect(file.prepare('select version, name from schema_migration order by version').all()).toEqual(
      migrations.map(({ version, name }) => ({ version, name })),
    )
    expect(file.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(file.pragma('journal_mode', { simple: true })).toBe('wal')
    file.close()
    expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(dataDir, 'backups'))).toEqual([])
  })

  it('numbers the migrations without gaps, matching their names', () => {
    const versions = migrations.map(({ version }) => version)
    expect(versions).toEqual(migrations.map((_migration, index) => index + 1))
    expect(migrations.map(({ name }) => Number(name.slice(0, 4)))).toEqual(versions)
  })

  it('refuses a database of a newer Berth with a clear message', async () => {
    await (await open()).close()
    const file = new BetterSqlite(databasePath(dataDir))
    file.prepare(`insert into schema_migration values (9999, '9999-future', '')`).run()
    file.close()
    await expect(open()).rejects.toThrow(/has version 9999.*supports versions up to.*restore the backup/)
  })

  it.each([
    [
      'damaged in the middle',
      (path: string) => {
        const bytes = readFileSync(path)
        bytes.fill(0xaa, 4096, bytes.length - 4096)
        writeFileSync(path, bytes)
      },
    ],
    ['not a database', (path: string) => writeFileSync(path, 'some text file, not a database\n'.repeat(200))],
    ['cut short', (path: string) => truncateSync(path, 5000)],
    ['empty', (path: string) => truncateSync(path, 0)],
  ])('refuses a file that is %s, and leaves it untouched', async (_what, damage) => {
    await (await open()).close()
    damage(databasePath(dataDir))
    const before = hashOfDatabase()
    await expect(open()).rejects.toThrow(StartRefused)
    await expect(open()).rejects.toThrow(/is damaged and was not changed/)
    expect(hashOfDatabase()).toBe(before)
  })

  it('refuses a second server on the same directory until the first has exited', async () => {
    const first = await open()
    await expect(open()).rejects.toThrow(/Another Berth is using the data directory/)
    await first.close()
    await (await open()).close()
  })

  it('works with a copy of the directory made while the server was stopped', async () => {
    const first = await open()
    await first.db.transaction(async (tx) => await tx.insertInto('fact').values({ name: 'a', value: 'kept' }).execute())
    await first.close()
    const copy = `${dataDir}-copy`
    cpSync(dataDir, copy, { recursive: true })
    rmSync(dataDir, { recursive: true })
    renameSync(copy, dataDir)
    const second = await open()
    expect(await second.db.selectFrom('fact').select('value').where('name', '=', 'a').execute()).toEqual([{ value: 'kept' }])
    await second.close()
  })
})

describe('transactions', () => {
  it('run one after the other, and a failed one leaves no changes', async () => {
    const database = await open()
    const { db } = database
    const order: string[] = []
    const write = (name: string, fails: boolean) =>
      db.transaction(async (tx) => {
        order.push(`${name} begins`)
        await tx.insertInto('fact').values({ name, value: '' }).execute()
        await new Promise((resolve) => setTimeout(resolve, 5))
        order.push(`${name} ends`)
        if (fails) throw new Error('a mistake')
      })
    const results = await Promise.allSettled([write('a', false), write('b', true), write('c', false)])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
    expect((await db.selectFrom('fact').select('name').orderBy('name').execute()).map(({ name }) => name)).toEqual(['a', 'c'])
    await database.close()
  })

  it('notify once per commit with changes, and not for reads', async () => {
    const database = await open()
    const { db } = database
    commits = 0
    await db.transaction(async (tx) => await tx.selectFrom('fact').selectAll().execute())
    expect(commits).toBe(0)
    await db.transaction(async (tx) => await tx.insertInto('fact').values({ name: 'a', value: '' }).execute())
    expect(commits).toBe(1)
    await database.close()
  })

  it('do not notify after a rollback, even if the next one changes nothing', async () => {
    const database = await open()
    const { db } = database
    commits = 0
    const failing = db.transaction(async (tx) => {
      await tx.insertInto('fact').values({ name: 'a', value: '' }).execute()
      throw new Error('a mistake')
    })
    await expect(failing).rejects.toThrow('a mistake')
    await db.transaction(async (tx) => await tx.selectFrom('fact').selectAll().execute())
    await db.transaction(async (tx) => await tx.deleteFrom('fact').where('name', '=', 'nobody').execute())
    expect(commits).toBe(0)
    await database.close()
  })

  it('do not block reads, which do not see uncommitted changes', async () => {
    const database = await open()
    const { db } = database
    const isIn = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const writing = db.transaction(async (tx) => {
      await tx.insertInto('fact').values({ name: 'a', value: '' }).execute()
      isIn.resolve()
      await mayEnd.promise
    })
    await isIn.promise
    expect(await db.selectFrom('fact').selectAll().execute()).toEqual([])
    mayEnd.resolve()
    await writing
    expect(await db.selectFrom('fact').selectAll().execute()).toHaveLength(1)
    await database.close()
  })
})
