import { expect, it } from 'vitest'
import { createDeliveryRate, weightOf } from './delivery-rate.ts'

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

it('counts a large delivery for each of its megabytes, and for each fifty apps that it concerns', () => {
  expect([{ bytes: 25 * 1024 ** 2 }, { bytes: 5000 }, { apps: 1000 }, { apps: 49 }].map(weightOf)).toEqual([25, 0, 20, 0])
  const isWithinRate = createDeliveryRate(() => new Date(0))
  const taken = Array.from({ length: 10 }, () => isWithinRate('1', 26)).filter(Boolean).length
  expect([taken, isWithinRate('2', 26)]).toEqual([4, true])
  expect([isWithinRate('3', 599, 600), isWithinRate('3', 1, 600), isWithinRate('3', 1, 600)]).toEqual([true, true, false])
})
