import { expect, it } from 'vitest'
import { backoffMs } from './backoff.ts'

it('doubles from a second up to a minute', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 1000].map(backoffMs)).toEqual([1000, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
})
