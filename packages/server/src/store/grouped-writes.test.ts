import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import type { Tx } from './database.ts'
import { createGroupedWrites, type GroupedWrites } from './grouped-writes.ts'
import { DiskFull } from './storage-failure.ts'

let test: Awaited<ReturnType<typeof openTestDatabase>>
let inGroup: GroupedWrites
beforeEach(async () => {
  test = await openTestDatabase()
  inGroup = createGroupedWrites(test.db)
})
afterEach(async () => await test[Symbol.asyncDispose]())

const write = (name: string) => async (tx: Tx) => {
  await tx.insertInto('fact').values({ name, value: name }).execute()
  return name
}
async function names(): Promise<string[]> {
  const rows = await test.db.selectFrom('fact').select('name').where('name', 'like', 'w%').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

it('writes that come together are committed together, each before it resolves', async () => {
  const before = test.nudge.count()
  const seen = await Promise.all(['w1', 'w2', 'w3'].map(async (name) => [await inGroup(write(name)), await names()]))
  expect(seen).toEqual(['w1', 'w2', 'w3'].map((name) => [name, ['w1', 'w2', 'w3']]))
  expect(test.nudge.count() - before).toBe(1)
  expect(await inGroup(write('w4'))).toBe('w4')
  expect(test.nudge.count() - before).toBe(2)
})

it('writes that come shortly after another share the next transaction', async () => {
  inGroup = createGroupedWrites(test.db, { apartMs: 500 })
  await inGroup(write('w1'))
  const before = test.nudge.count()
  const second = inGroup(write('w2'))
  for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  await Promise.all([second, inGroup(write('w3'))])
  expect(test.nudge.count() - before).toBe(1)
  expect(await names()).toEqual(['w1', 'w2', 'w3'])
})

it('more than fit into one group are all written', async () => {
  const all = Array.from({ length: 50 }, (_, n) => `w${100 + n}`)
  const before = test.nudge.count()
  expect(await Promise.all(all.map(async (name) => await inGroup(write(name))))).toEqual(all)
  expect(await names()).toEqual(all)
  expect(test.nudge.count() - before).toBe(4)
})

it('one that fails is undone, and the others are not', async () => {
  const failing = inGroup(async (tx) => {
    await write('w2')(tx)
    throw new Error('after half of it')
  })
  const results = await Promise.allSettled([inGroup(write('w1')), failing, inGroup(write('w1')), inGroup(write('w3'))])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await names()).toEqual(['w1', 'w3'])
})

it('a disk that fails fails all of a group, and the next one is tried again', async () => {
  const failing = inGroup(async () => {
    throw new DiskFull()
  })
  const results = await Promise.allSettled([inGroup(write('w1')), failing, inGroup(write('w2'))])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await names()).toEqual([])
  await expect.poll(async () => await inGroup(write('w4')).catch(() => 'full'), { timeout: 20_000 }).toBe('w4')
})

it('reads are answered between two writes of a group', async () => {
  const order: string[] = []
  const looks = (name: string) => async (tx: Tx) => {
    order.push(name)
    setImmediate(() => order.push(`read after ${name}`))
    return await write(name)(tx)
  }
  await Promise.all([inGroup(looks('w1')), inGroup(looks('w2'))])
  expect(order.slice(0, 3)).toEqual(['w1', 'read after w1', 'w2'])
})
