import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { createProjectsLookup } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { createFeed } from '../../events/feed.ts'
import { createLiveEvents } from './streams.ts'

const origin = { requestId: 'r', address: '127.0.0.1', isTls: false, client: '' }
const caller: Caller = { id: 7, email: 'seven@example.test', role: 'user', createdAt: '', sessionId: 's', origin }

it('reads only one batch for a client that does not read, and loads its projects once per batch', async () => {
  await using test = await openTestDatabase()
  await test.db.transaction(async (tx) => {
    for (let n = 0; n < 3000; n += 1) await appendEvent(tx, new Date(), { type: 'user.changed', data: { userId: 7 } })
  })
  let lookups = 0
  const look = createProjectsLookup(test.db)
  const projectsOf = async (userId: number) => {
    lookups += 1
    return await look(userId)
  }
  const stream = createLiveEvents({ db: test.db, feed: createFeed(test), projectsOf }).events
  const stop = new AbortController()
  const full = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  let sent = 0
  const peer = {
    send: () => void (sent += 1),
    sendEncoded: () => undefined,
    sendEncodedAndWait: async () => undefined,
    signal: stop.signal,
  }
  const room = async () => {
    full.resolve()
    await read.promise
  }
  const ended = stream({ caller, input: { after: 0 }, ...peer, room })
  await full.promise
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect([sent, lookups]).toEqual([1 + 500, 1])
  read.resolve()
  await expect.poll(() => sent).toBe(1 + 3000)
  expect(lookups).toBe(6)
  stop.abort()
  await ended
})
