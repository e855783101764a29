import { expect, it } from 'vitest'
import { createTrimPlan } from './trim-plan.ts'

it('is due after fifty small deliveries of an account, or after a few large ones', () => {
  const isDue = createTrimPlan()
  const small = Array.from({ length: 100 }, () => isDue(1, 0))
  expect(small.flatMap((is, n) => (is ? [n + 1] : []))).toEqual([50, 100])
  const large = Array.from({ length: 6 }, () => isDue(2, 1024 * 1024))
  expect(large.flatMap((is, n) => (is ? [n + 1] : []))).toEqual([3, 6])
  expect(isDue(1, 0)).toBe(false)
})
