import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createOrderBudget } from './order-budget.ts'

const HOUR_MS = 3_600_000
const MALLORY = 1
const ALICE = 2

it('an owner has so many orders in three hours, also after a restart and at another node; others and the platform are not held up', async () => {
  await using test = await openTestDatabase()
  let ms = Date.parse('2030-01-01T00:00:00Z')
  const budget = () => createOrderBudget({ db: test.db, now: () => new Date(ms), most: 3 })
  const [a, b] = [budget(), budget()]
  expect([await a.take(MALLORY), await b.take(MALLORY), await a.take(MALLORY)]).toEqual([undefined, undefined, undefined])
  ms += HOUR_MS
  for (const each of [a, b, budget()]) expect(await each.take(MALLORY)).toEqual(new Date('2030-01-01T03:00:00Z'))
  expect([await b.take(ALICE), await b.take(undefined), await b.take(undefined)]).toEqual([undefined, undefined, undefined])
  ms += 2 * HOUR_MS
  expect(await b.take(MALLORY)).toBeUndefined()
  expect(await test.db.selectFrom('certificate_order').select('owner_id').execute()).toEqual([{ owner_id: ALICE }, { owner_id: MALLORY }])
})

it('who waits asks again after some minutes at the earliest, because many may wait for the same moment', async () => {
  await using test = await openTestDatabase()
  let ms = Date.parse('2030-01-01T00:00:00Z')
  const { take } = createOrderBudget({ db: test.db, now: () => new Date(ms), most: 1 })
  await take(MALLORY)
  ms += 3 * HOUR_MS - 1000
  expect(await take(MALLORY)).toEqual(new Date('2030-01-01T03:09:59Z'))
})
