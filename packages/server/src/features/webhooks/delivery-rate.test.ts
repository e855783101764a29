import { expect, it } from 'vitest'
import { createDeliveryRate } from './delivery-rate.ts'

it('accepts 120 deliveries per minute and account', () => {
  let at = 1_000_000
  const isWithinRate = createDeliveryRate(() => new Date(at))
  const taken = (accountId: string) => Array.from({ length: 130 }, () => isWithinRate(accountId)).filter(Boolean).length
  expect([taken('1'), taken('2'), taken('1')]).toEqual([120, 120, 0])
  at += 60_000
  expect(taken('1')).toBe(120)
  at -= 3_600_000 // the clock was set back
  expect(taken('1')).toBe(120)
})

it('counts a large delivery for each of its megabytes', () => {
  const isWithinRate = createDeliveryRate(() => new Date(0))
  const taken = Array.from({ length: 10 }, () => isWithinRate('1', 25 * 1024 ** 2)).filter(Boolean).length
  expect([taken, isWithinRate('2', 25 * 1024 ** 2)]).toEqual([4, true])
})
