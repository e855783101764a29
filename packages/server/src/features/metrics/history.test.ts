import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { createMetricsHistory } from './history.ts'
import { ratesBetween, readCounters } from './machine.ts'
import { createServerMetrics } from './server-metrics.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')

it('the history keeps an hour, oldest first, and drops what is older', async () => {
  let second = 0
  const history = createMetricsHistory({ dataDir: tmpdir(), first: await readCounters(), now: () => new Date(START + second * 1000) })
  for (second = 10; second <= 4000; second += 10) await history.sample()
  const { since, everySeconds, points } = history.read()
  expect([since, everySeconds, points.length]).toEqual(['2026-01-01T00:00:00.000Z', 10, 360])
  expect([points[0]?.at, points.at(-1)?.at]).toEqual(['2026-01-01T00:06:50.000Z', '2026-01-01T01:06:40.000Z'])
  expect(points[0]).toMatchObject({
    memory: { percent: expect.any(Number) },
    load: [expect.any(Number), expect.any(Number), expect.any(Number)],
  })
})

it('a rate is the mean between two looks, and never negative', () => {
  const before = { busy: 100, total: 1000, rx: 5000, tx: 9000, at: 0 }
  expect(ratesBetween(before, { busy: 350, total: 2000, rx: 25_000, tx: 8000, at: 10_000 })).toEqual({
    usage: 25,
    network: { rx: 2000, tx: 0 },
  })
  expect(ratesBetween(before, before)).toEqual({ usage: 0, network: { rx: 0, tx: 0 } })
})

it('the first figures after a long time without watchers are those since the last sample, not the mean of all that time', async () => {
  const now = await readCounters()
  const bytes = 50_000_000_000
  const lastSampled = () => ({ ...now, rx: now.rx - bytes, at: now.at - 10_000 })
  const metrics = createServerMetrics({
    dataDir: tmpdir(),
    engineCounts: async () => ({ containers_running: 1, containers_total: 2, images: 3 }),
    lastSampled,
  })
  const { network, docker } = await metrics.read()
  expect(network.rx).toBeGreaterThan((bytes / 10) * 0.5)
  expect(docker.images).toBe(3)
})
