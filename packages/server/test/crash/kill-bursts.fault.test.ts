import { expect, it } from 'vitest'
import { killBursts } from './kill-bursts.ts'

it('kill -9 at any moment of a burst of writes loses no answered write and leaves none half-written', async () => {
  const count = await killBursts({ rounds: 8 })
  expect(count).toMatchObject({ rounds: 8, lost: [], halfWritten: [], integrity: [] })
  expect(count.answered).toBeGreaterThan(0)
}, 300_000)
