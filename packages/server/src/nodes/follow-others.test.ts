import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { appendEvent } from '../events/event-log.ts'
import { createFollowOthers } from './follow-others.ts'

it('tells of changes in the event log once, and again if that failed', async () => {
  await using test = await openTestDatabase()
  let [told, isFailing] = [0, false]
  const look = createFollowOthers({
    db: test.db,
    onChanged: async () => {
      told += 1
      if (isFailing) throw new Error('the database is away')
    },
  })
  await look()
  await look()
  expect(told).toBe(1)
  await test.db.transaction(async (tx) => await appendEvent(tx, new Date(), { type: 'settings.changed', data: {} }))
  isFailing = true
  await expect(look()).rejects.toThrow('away')
  isFailing = false
  await look()
  await look()
  expect(told).toBe(3)
})
