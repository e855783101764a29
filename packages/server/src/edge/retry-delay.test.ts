import { expect, it } from 'vitest'
import { retryDelayMs } from './retry-delay.ts'

it('a failing edge is tried again soon at first and every half minute later', () => {
  expect([1, 2, 3, 50].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 30_000])
})
