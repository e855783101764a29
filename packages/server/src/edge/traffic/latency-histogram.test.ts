import { expect, it } from 'vitest'
import { addLatency, emptyHistogram, quantileMs } from './latency-histogram.ts'

it('quantiles come from a histogram within a fifth of the truth', () => {
  const histogram = emptyHistogram()
  for (let ms = 1; ms <= 1000; ms += 1) addLatency(histogram, ms)
  const median = quantileMs([histogram, emptyHistogram()], 0.5) ?? 0
  expect(median).toBeGreaterThanOrEqual(500)
  expect(median).toBeLessThan(600)
  expect(quantileMs([emptyHistogram()], 0.5)).toBeUndefined()
})
