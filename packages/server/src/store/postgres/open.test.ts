import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startPostgres } from '../../../testing/harness/postgres-cluster.ts'
import type { Database } from '../database.ts'
import { DatabaseLost } from '../database-lost.ts'
import { openDatabase } from '../open.ts'
import { isUniqueViolation } from '../storage-failure.ts'

let server: Awaited<ReturnType<typeof startPostgres>>
let url: string
let dataDir: string
const opened: Database[] = []
let commits = 0
let returns = 0

beforeEach(async () => {
  server = await startPostgres()
  url = await server.createDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'berth-postgres-'))
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
  await server[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

async function open(): Promise<Database> {
  const options = { now: () => new Date(), onCommit: () => void (commits += 1), onRoom: () => void (returns += 1) }
  const database = await openDatabase({ dataDir, database: { kind: 'postgres', url } }, options)
  opened.push(database)
  return database
}

it('migrates an empty database, and finds everything again at the next start', async () => {
  const first = await open()
  const before = commits
  await first.db.transaction(async (tx) => await tx.insertInto('fact').values({ name: 'a', value: 'b\0c' }).execute())
  expect(commits).toBe(before + 1)
  await first.db.transaction(async (tx) => await tx.selectFrom('fact').selectAll().execute())
  expect(commits).toBe(before + 1)
  await opened.splice(0)[0]?.close()
  const { db } = await open()
  expect(await db.selectFrom('fact').selectAll().where('name', '!=', 'instance_id').execute()).toEqual([{ name: 'a', value: 'b\uFFFDc' }])
})

it('the data directory is not used with another database afterwards, and the other one is not touched', async () => {
  await open()
  await opened.splice(0)[0]?.close()
  const own = url
  url = await server.createDatabase()
  await expect(open()).rejects.toThrow('belongs to another PostgreSQL database')
  await server.tell('create table schema_migration ()', new URL(url).pathname.slice(1)) // fails if there is one already
  url = own
  await open()
})

it('a transaction in which a statement failed is never taken for a success', async () => {
  const { db } = await open()
  const add = async (name: string) => await db.transaction(async (tx) => await tx.insertInto('fact').values({ name, value: '' }).execute())
  await add('a')
  await expect(add('a')).rejects.toSatisfy((cause) => isUniqueViolation(cause, 'fact.name'))
  const swallowed = db.transaction(async (tx) => {
    await tx.insertInto('fact').values({ name: 'b', value: '' }).execute()
    await tx
      .insertInto('fact')
      .values({ name: 'a', value: '' })
      .execute()
      .catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow('rolled back')
  await add('c')
  const added = db.selectFrom('fact').select('name').where('name', '!=', 'instance_id').orderBy('name')
  expect(await added.execute()).toEqual([{ name: 'a' }, { name: 'c' }])
})

it('while the server is down reads and writes say so, and both work again when it is back', async () => {
  const database = await open()
  const { db } = database
  const read = async () => await db.selectFrom('fact').select('name').where('name', 'not in', ['instance_id', 'write_probe']).execute()
  const write = async (name: string) =>
    await db.transaction(async (tx) => await tx.insertInto('fact').values({ name, value: '' }).execute())
  await write('before')
  await server.stop()
  await expect(read()).rejects.toBeInstanceOf(DatabaseLost)
  await expect(write('during')).rejects.toBeInstanceOf(DatabaseLost)
  expect(database.state()).toBe('unusable')
  await server.startAgain()
  await expect.poll(() => database.state(), { timeout: 20_000 }).toBe('ok')
  expect(returns).toBe(1)
  await write('after')
  expect(await read()).toEqual([{ name: 'before' }, { name: 'after' }])
})

it('while the server only reads, the state says so, and it is ok again afterwards', async () => {
  const database = await open()
  const { db } = database
  const write = async () => await db.transaction(async (tx) => await tx.insertInto('fact').values({ name: 'a', value: '' }).execute())
  const name = new URL(url).pathname.slice(1)
  const cut = 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null'
  await server.tell(`alter database ${name} set default_transaction_read_only = on; ${cut}`)
  await expect.poll(() => database.state(), { timeout: 20_000 }).toBe('read_only')
  await expect(write()).rejects.toBeInstanceOf(DatabaseLost)
  expect(await db.selectFrom('fact').select('name').execute()).toEqual([{ name: 'instance_id' }])
  await server.tell(`alter database ${name} set default_transaction_read_only = off; ${cut}`)
  await expect.poll(() => database.state(), { timeout: 20_000 }).toBe('ok')
  await write()
})

it('writes to a server that does not answer fail soon, all of them, and not one after another', async () => {
  const database = await open()
  const { db } = database
  const write = async (name: string) =>
    await db.transaction(async (tx) => await tx.insertInto('fact').values({ name, value: '' }).execute())
  await write('before')
  server.freeze(true)
  const begunAt = performance.now()
  const first = write('first').catch((cause: unknown) => cause)
  const others = await Promise.allSettled(Array.from({ length: 20 }, async (_, n) => await write(`other-${n}`)))
  expect(performance.now() - begunAt).toBeLessThan(20_000)
  for (const { status } of others) expect(status).toBe('rejected')
  expect(await first).toBeInstanceOf(DatabaseLost) // may have been done or not
  const refusedAt = performance.now()
  await expect(write('later')).rejects.toBeInstanceOf(DatabaseLost)
  expect(performance.now() - refusedAt).toBeLessThan(500)
  expect(database.state()).not.toBe('ok')
  server.freeze(false)
  await expect.poll(() => database.state(), { timeout: 45_000 }).toBe('ok')
  await write('after')
})
