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
