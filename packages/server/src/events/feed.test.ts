import type { BerthEvent } from '@berth/contract'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { appendEvent, eventsAfter, forgetEvents, lastEventSeq } from './event-log.ts'
import { createFeed, type Feed } from './feed.ts'

const KEPT = { most: 1000, batch: 1000 }

type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>

async function append(test: TestDatabase, userId: number, at = new Date()): Promise<void> {
  await test.db.transaction(async (tx) => await appendEvent(tx, at, { type: 'user.changed', data: { userId } }))
}
function userOf(event: BerthEvent): number {
  return event.type === 'user.changed' ? event.data.userId : 0
}
async function take(feed: Feed, cursor: number, count: number): Promise<number[]> {
  const stop = new AbortController()
  const seen: number[] = []
  for await (const batch of feed.follow(cursor, stop.signal)) {
    seen.push(...batch.map(userOf))
    if (seen.length >= count) stop.abort()
  }
  return seen
}

it('delivers past and future events, each once and in order, to every follower', async () => {
  await using test = await openTestDatabase()
  for (let n = 1; n <= 20; n += 1) await append(test, n)
  const wanted = Array.from({ length: 120 }, (_unused, index) => index + 1)
  const feed = createFeed(test)
  const readers = [take(feed, 0, 120), take(feed, 0, 120), take(feed, 60, 60)]
  for (let n = 21; n <= 120; n += 1) await append(test, n)
  expect(await Promise.all(readers)).toEqual([wanted, wanted, wanted.slice(60)])
})

it('reads on behind a batch when the past is long', async () => {
  await using test = await openTestDatabase()
  await test.db.transaction(async (tx) => {
    for (let n = 1; n <= 1203; n += 1) await appendEvent(tx, new Date(), { type: 'user.changed', data: { userId: n } })
  })
  const seen = await take(createFeed(test), 0, 1203)
  expect([seen[0], seen.at(-1), new Set(seen).size]).toEqual([1, 1203, 1203])
})

it('gives the event loop a turn for every batch of every reader', async () => {
  await using test = await openTestDatabase()
  await test.db.transaction(async (tx) => {
    for (let n = 1; n <= 2000; n += 1) await appendEvent(tx, new Date(), { type: 'user.changed', data: { userId: n } })
  })
  const feed = createFeed(test)
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const all = await Promise.all(Array.from({ length: 20 }, async () => await take(feed, 0, 2000)))
  clearImmediate(next)
  expect(all.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => 2000))
  expect(turns).toBeGreaterThanOrEqual(20 * 4)
})

it('ends when the signal says so, also while it waits', async () => {
  await using test = await openTestDatabase()
  const stop = new AbortController()
  const next = createFeed(test).follow(0, stop.signal).next()
  stop.abort()
  expect((await next).done).toBe(true)
})

it('an event of a transaction that fails was never there', async () => {
  await using test = await openTestDatabase()
  const failing = test.db.transaction(async (tx) => {
    await appendEvent(tx, new Date(), { type: 'settings.changed', data: {} })
    throw new Error('a mistake')
  })
  await expect(failing).rejects.toThrow('a mistake')
  expect(await eventsAfter(test.db, 0)).toEqual([])
})

it('forgets old events, and the numbers go on behind them', async () => {
  await using test = await openTestDatabase()
  await append(test, 1, new Date('2026-01-01'))
  await append(test, 2, new Date('2026-02-01'))
  await test.db.transaction(async (tx) => await forgetEvents(tx, { ...KEPT, before: new Date('2026-01-15') }))
  expect((await eventsAfter(test.db, 0)).map(userOf)).toEqual([2])
  await test.db.transaction(async (tx) => await forgetEvents(tx, { ...KEPT, before: new Date('2026-03-01') }))
  expect(await lastEventSeq(test.db)).toBe(0)
  await append(test, 3)
  expect((await eventsAfter(test.db, 2)).map(userOf)).toEqual([3])
})
