import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { mountSmallDisk, type SmallDisk } from '../../../testing/harness/small-disk.ts'
import type { Database, Db, Tx } from '../database.ts'
import { isDatabaseFailure } from '../storage-failure.ts'
import { openSqlite } from './open.ts'

const MEGABYTE = 1024 * 1024

/** A small disk for one test. */
async function openSmallDisk(context: TestContext, megabytes = 96): Promise<SmallDisk> {
  const disk = await mountSmallDisk(megabytes)
  if (disk.unavailable !== undefined) context.skip(disk.unavailable)
  return disk
}
async function open({ directory }: SmallDisk, onRoom = () => undefined as void): Promise<Database> {
  return await openSqlite({ dataDir: directory, now: () => new Date(), onCommit: () => undefined, onRoom })
}
const reserveBytes = ({ directory }: SmallDisk) => statSync(join(directory, 'reserve'), { throwIfNoEntry: false })?.size ?? 0
const insert =
  (name: string, bytes = 1000) =>
  async (tx: Tx) =>
    void (await tx
      .insertInto('fact')
      .values({ name, value: 'x'.repeat(bytes) })
      .execute())

/** Fills the disk, and then the space that is left in the database's log. */
async function fillCompletely(disk: SmallDisk, db: Db): Promise<void> {
  await disk.fill()
  for (let n = 0; n < 1000; n += 1) {
    const failure = await db.transaction(insert(`fill ${n}`, 20_000)).catch((cause: unknown) => cause)
    if (isDatabaseFailure(failure)) return
    if (failure instanceof Error) throw failure
  }
  throw new Error('the disk did not become full')
}

it('on a full disk only writes that free space succeed, and free space is all it takes to recover', async (context) => {
  await using disk = await openSmallDisk(context)
  let opened = 0
  const database = await open(disk, () => void (opened += 1))
  const { db } = database
  expect(reserveBytes(disk)).toBe(16 * MEGABYTE)
  await fillCompletely(disk, db)
  for (let n = 0; n < 300; n += 1) {
    const freeing = async (tx: Tx) => {
      await insert(`freeing ${n}`)(tx)
      await tx.deleteFrom('fact').where('name', '=', `fill ${n}`).execute()
    }
    await db.transaction(freeing, { mayUseReserve: true })
    await disk.fill() // freed space is taken by another process
    await expect(db.transaction(insert(`ordinary ${n}`, 1))).rejects.toThrow('the disk is full')
  }
  expect(database.state()).toBe('read_only')
  expect(reserveBytes(disk)).toBeGreaterThan(14 * MEGABYTE)
  expect(opened).toBe(0)

  await disk.free()
  await db.transaction(insert('after'))
  expect([database.state(), opened, reserveBytes(disk)]).toEqual(['ok', 1, 16 * MEGABYTE])
  const names = (await db.selectFrom('fact').select('name').execute()).map(({ name }) => name)
  expect(names).toContain('freeing 299')
  expect(names.filter((name) => name.startsWith('ordinary'))).toEqual([])
  await database.close()
})

it('a transaction too large for a part of the reserve gets all of it', async (context) => {
  await using disk = await openSmallDisk(context)
  const database = await open(disk)
  await fillCompletely(disk, database.db)
  await database.db.transaction(insert('large', 6 * MEGABYTE), { mayUseReserve: true })
  expect(await database.db.selectFrom('fact').select('name').where('name', '=', 'large').execute()).toHaveLength(1)
  await disk.free()
  await database.close()
})

it('work that may use a part of the reserve leaves the rest to others, however often it runs', async (context) => {
  await using disk = await openSmallDisk(context)
  const database = await open(disk)
  await fillCompletely(disk, database.db)
  let refusal: unknown
  for (let n = 0; n < 100 && refusal === undefined; n += 1) {
    refusal = await database.db
      .transaction(insert(`part ${n}`, MEGABYTE), { mayUseReserve: 'part' })
      .then(() => undefined)
      .catch((cause: unknown) => cause)
    await disk.fill()
  }
  expect(isDatabaseFailure(refusal)).toBe(true)
  expect(reserveBytes(disk)).toBeGreaterThanOrEqual(7 * MEGABYTE)
  await database.db.transaction(insert('whole', MEGABYTE), { mayUseReserve: true })
  await disk.free()
  await database.close()
})

it('an error of the work itself is thrown at once', async (context) => {
  await using disk = await openSmallDisk(context)
  const database = await open(disk)
  let runs = 0
  const failing = async () => {
    runs += 1
    throw new Error('a mistake')
  }
  await expect(database.db.transaction(failing, { mayUseReserve: true })).rejects.toThrow('a mistake')
  expect([runs, database.state()]).toEqual([1, 'ok'])
  await database.close()
})

it('a database can be opened on a full disk', async (context) => {
  await using disk = await openSmallDisk(context)
  const first = await open(disk)
  await first.db.transaction(insert('kept'))
  await first.close()
  await disk.fill()
  const second = await open(disk)
  expect(await second.db.selectFrom('fact').select('name').execute()).toEqual([{ name: 'kept' }])
  await second.db.transaction(async (tx) => await tx.deleteFrom('fact').where('name', '=', 'kept').execute(), { mayUseReserve: true })
  expect(await second.db.selectFrom('fact').select('name').execute()).toEqual([])
  await disk.free()
  await second.close()
})

it('is only created if there is plenty of space, and completed later', async (context) => {
  await using disk = await openSmallDisk(context)
  const { directory } = disk
  await disk.fill()
  rmSync(join(directory, 'filler'))
  const database = await open(disk)
  rmSync(join(directory, 'reserve'))
  await disk.fill()
  database.keepReserve()
  expect(existsSync(join(directory, 'reserve'))).toBe(false)
  await disk.free()
  database.keepReserve()
  expect(reserveBytes(disk)).toBe(16 * MEGABYTE)
  await database.close()

  await using tiny = await openSmallDisk(context, 40)
  const onTiny = await open(tiny)
  expect(reserveBytes(tiny)).toBe(0)
  await fillCompletely(tiny, onTiny.db)
  await tiny.free()
  await onTiny.db.transaction(insert('after'))
  expect(reserveBytes(tiny)).toBe(0)
  await onTiny.close()
})
