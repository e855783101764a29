import type { MetricsFrame, MetricsHistory } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { type MetricsSample, type PlotPoint, pointsOf, withFrame } from './metrics-feed.ts'

const figures = {
  cpu: { usage: 1, cores: 2 },
  memory: { used: 1, total: 2, percent: 50 },
  disk: { used: 1, total: 2, percent: 50 },
  load: [0, 0, 0],
  network: { rx: 0, tx: 0 },
}
const time = (second: number): string => new Date(second * 1000).toISOString()

function frame(second: number): MetricsFrame {
  return {
    type: 'metrics',
    timestamp: time(second),
    data: { ...figures, docker: { containers_running: 0, containers_total: 0, images: 0 } },
  }
}

function history(...seconds: number[]): MetricsHistory {
  return { since: time(0), everySeconds: 10, points: seconds.map((second) => ({ at: time(second), ...figures })) }
}

function heard(...seconds: number[]): readonly MetricsSample[] {
  return seconds.reduce<readonly MetricsSample[]>((samples, second) => withFrame(samples, frame(second)), [])
}

const timesOf = (points: readonly PlotPoint[]): number[] => points.map(({ at }) => at)

describe('what is heard of the load', () => {
  it('grows in order, and leaves out what it has already', () => {
    expect(timesOf(heard(1, 2, 2, 1, 3))).toEqual([1, 2, 3])
  })

  it('is kept for an hour', () => {
    const samples = heard(...Array.from({ length: 400 }, (_, index) => index * 10))
    expect([samples.length, samples[0]?.at, samples.at(-1)?.at]).toEqual([360, 400, 3990])
  })
})

describe('the points of a plot', () => {
  const drawn = (samples: readonly MetricsSample[], ...seconds: number[]): number[] =>
    timesOf(pointsOf({ samples, history: history(...seconds) }))

  it('begin with the history and go on with what is heard', () => {
    expect(drawn(heard(36, 37, 38), 10, 20, 30)).toEqual([10, 20, 30, 36, 37, 38])
    expect(drawn([], 10, 20, 30)).toEqual([10, 20, 30])
    expect(timesOf(pointsOf({ samples: heard(36, 37), history: undefined }))).toEqual([36, 37])
  })

  it('show no second twice: the history has none for what was heard', () => {
    expect(drawn(heard(36, 37, 38, 39, 40, 41), 10, 20, 30, 40)).toEqual([10, 20, 30, 36, 37, 38, 39, 40, 41])
  })

  it('have the history where nobody listened', () => {
    expect(drawn(heard(8, 9, 10, 71, 72), 10, 20, 30, 40, 50, 60, 70)).toEqual([8, 9, 10, 20, 30, 40, 50, 60, 70, 71, 72])
  })
})
