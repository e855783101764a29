import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createOrderBudget } from './order-budget.ts'

const HOUR_MS = 3_600_000
const MALLORY = 1
const ALICE = 2
const OWNER = 3

/** Below the base domain of the server, where its owner has no limit. */
const sharedName = async (host: string, ownerId: number) => (host.endsWith('.apps.test') && ownerId !== OWNER ? 'apps.test' : undefined)

it('an owner has so many orders in three hours, also after a restart and at another node; others and the platform are not held up', async () => {
  await using test = await openTestDatabase()
  let ms = Date.parse('2030-01-01T00:00:00Z')
  const open = () => createOrderBudget({ db: test.db, now: () => new Date(ms), sharedName, limits: { orders: 3, hosts: 15 } })
  const budget = () => {
    const { take } = open()
    return { take: async (owner: number | undefined) => (await take('shop.test', owner))?.until }
  }
  const [a, b] = [budget(), budget()]
  expect([await a.take(MALLORY), await b.take(MALLORY), await a.take(MALLORY)]).toEqual([undefined, undefined, undefined])
  ms += HOUR_MS
  for (const each of [a, b, budget()]) expect(await each.take(MALLORY)).toEqual(new Date('2030-01-01T03:00:00Z'))
  expect([await b.take(ALICE), await b.take(undefined), await b.take(undefined)]).toEqual([undefined, undefined, undefined])
  ms += 2 * HOUR_MS
  expect(await b.take(MALLORY)).toBeUndefined()
  ms += 7 * 24 * HOUR_MS
  await b.take(ALICE)
  expect(await test.db.selectFrom('certificate_order').select(['owner_id', 'host']).execute()).toEqual([
    { owner_id: ALICE, host: 'shop.test' },
  ])
})

it('who waits asks again after some minutes at the earliest, because many may wait for the same moment', async () => {
  await using test = await openTestDatabase()
  let ms = Date.parse('2030-01-01T00:00:00Z')
  const { take } = createOrderBudget({ db: test.db, now: () => new Date(ms), sharedName, limits: { orders: 1, hosts: 15 } })
  await take('a.test', MALLORY)
  ms += 3 * HOUR_MS - 1000
  expect((await take('b.test', MALLORY))?.until).toEqual(new Date('2030-01-01T03:09:59Z'))
})

it('a member has so many new hosts below the base domain in a week; the same hosts, other domains and admins are not held up', async () => {
  await using test = await openTestDatabase()
  let ms = Date.parse('2030-01-01T00:00:00Z')
  const { take } = createOrderBudget({ db: test.db, now: () => new Date(ms), sharedName, limits: { orders: 60, hosts: 2 } })
  await take('one.apps.test', MALLORY)
  ms += HOUR_MS
  await take('two.apps.test', MALLORY)
  ms += HOUR_MS
  const over = await take('three.apps.test', MALLORY)
  expect(over).toEqual({
    reason: expect.stringMatching(/^This certificate waits: certificates for 15 of your domains below apps\.test were ordered/),
    until: new Date('2030-01-08T00:00:00Z'),
  })
  const others = [take('one.apps.test', MALLORY), take('own.test', MALLORY), take('three.apps.test', ALICE), take('three.apps.test', OWNER)]
  expect(await Promise.all(others)).toEqual([undefined, undefined, undefined, undefined])
  // the first host was ordered once more, so the second is the oldest by now
  expect((await take('three.apps.test', MALLORY))?.until).toEqual(new Date('2030-01-08T01:00:00Z'))
  ms = Date.parse('2030-01-08T01:00:00Z')
  expect(await take('three.apps.test', MALLORY)).toBeUndefined()
})
