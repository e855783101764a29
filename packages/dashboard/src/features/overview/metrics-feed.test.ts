import type { MetricsFrame } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { type MetricsSample, withFrame } from './metrics-feed.ts'

function frame(second: number): MetricsFrame {
  const part = { used: 1, total: 2, percent: 50 }
  return {
    type: 'metrics',
    timestamp: new Date(second * 1000).toISOString(),
    data: {
      cpu: { usage: 1, cores: 2 },
      memory: part,
      disk: part,
      load: [0, 0, 0],
      network: { rx: 0, tx: 0 },
      docker: { containers_running: 0, containers_total: 0, images: 0 },
    },
  }
}

describe('the history of the load', () => {
  it('grows in order, leaves out what it has already, and stays bounded', () => {
    let samples: readonly MetricsSample[] = []
    for (const second of [1, 2, 2, 1, 3]) samples = withFrame(samples, frame(second))
    expect(samples.map(({ at }) => at)).toEqual([1, 2, 3])
    for (let second = 4; second < 2000; second += 1) samples = withFrame(samples, frame(second))
    expect(samples).toHaveLength(900)
    expect(samples.at(-1)?.at).toBe(1999)
  })
})
