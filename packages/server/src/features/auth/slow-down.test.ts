import { expect, it } from 'vitest'
import { createSlowDown } from './slow-down.ts'

function setUp() {
  const clock = { ms: 1_000_000 }
  const slowDown = createSlowDown({ secret: 'a secret', now: () => new Date(clock.ms) })
  return { ...slowDown, clock, slot: slowDown.slotOf('a@example.test') }
}

it('delays an account after five failures, longer and longer up to three seconds, and resets after a success', () => {
  const { slot, slotOf, failed, waitMs, succeeded } = setUp()
  const waits = Array.from({ length: 14 }, () => {
    failed(slot)
    return waitMs(slot)
  })
  expect(waits.slice(0, 4)).toEqual([0, 0, 0, 0])
  expect(waits.slice(4)).toEqual([100, 200, 400, 800, 1600, 3000, 3000, 3000, 3000, 3000])
  expect(waitMs(slotOf('b@example.test'))).toBe(0)
  succeeded(slot)
  expect(waitMs(slot)).toBe(0)
})

it('counts the wait from the last failure, whatever the clock does, and forgets after a quarter of an hour', () => {
  const { slot, failed, waitMs, clock } = setUp()
  for (let n = 0; n < 300; n += 1) failed(slot)
  expect(waitMs(slot)).toBe(3000)
  clock.ms += 2000
  expect(waitMs(slot)).toBe(1000)
  clock.ms += 2000
  expect(waitMs(slot)).toBe(0)
  clock.ms -= 3600 * 1000
  expect(waitMs(slot)).toBe(3000)
  clock.ms += 3600 * 1000
  failed(slot)
  expect(waitMs(slot)).toBe(3000)
  clock.ms += 16 * 60 * 1000
  failed(slot)
  expect(waitMs(slot)).toBe(0)
})

it('cannot be cleared by trying other names, however many, and they hardly slow anybody else', () => {
  const { slot, slotOf, failed, waitMs, clock } = setUp()
  for (let n = 0; n < 12; n += 1) failed(slot)
  for (let n = 0; n < 50_000; n += 1) failed(slotOf(`${n}@example.test`)) // more than a quarter of an hour of hashing
  expect(waitMs(slot)).toBe(3000)
  clock.ms += 1
  const slowed = Array.from({ length: 10_000 }, (_, n) => waitMs(slotOf(`somebody-else-${n}@example.test`))).filter((ms) => ms > 0)
  expect(slowed.length).toBeLessThan(10)
})

it('gives a name another slot under another secret, so that nobody can search for names that share one', () => {
  const other = createSlowDown({ secret: 'another secret', now: () => new Date(0) })
  const names = Array.from({ length: 100 }, (_, n) => `${n}@example.test`)
  expect(names.filter((name) => other.slotOf(name) === setUp().slotOf(name)).length).toBeLessThan(3)
})
