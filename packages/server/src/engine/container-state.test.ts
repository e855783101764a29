import { expect, it } from 'vitest'
import { detailsOf, statusText } from './container-state.ts'
import { usageOf } from './container-usage.ts'

const NOW = new Date('2026-01-01T01:00:00Z')
const word = (state: string, change: object = {}) =>
  statusText({ state, exitCode: null, startedAt: null, finishedAt: null, ...change }, NOW)

it('words a state as the engine does', () => {
  expect(word('running', { startedAt: '2026-01-01T00:55:00Z' })).toBe('Up 5 minutes')
  expect(word('running', { startedAt: '2026-01-01T00:59:59.9Z' })).toBe('Up less than a second')
  expect(word('exited', { exitCode: 137, finishedAt: '2025-12-30T01:00:00Z' })).toBe('Exited (137) 2 days ago')
  expect(word('restarting', { exitCode: 1, finishedAt: '2026-01-01T00:59:59Z' })).toBe('Restarting (1) 1 second ago')
  expect(word('created')).toBe('Created')
  expect(word('dead')).toBe('Dead')
})

it('reads an empty answer as an unknown container', () => {
  expect(detailsOf(null, NOW)).toMatchObject({
    id: '',
    state: '',
    status: 'Unknown',
    exitCode: null,
    startedAt: null,
    ips: {},
    owner: { appId: null },
  })
})

it('reads usage in cores and without the page cache', () => {
  const stats = {
    cpu_stats: { cpu_usage: { total_usage: 600 }, system_cpu_usage: 2000, online_cpus: 2 },
    precpu_stats: { cpu_usage: { total_usage: 100 }, system_cpu_usage: 1000 },
    memory_stats: { usage: 500, limit: 1000, stats: { total_inactive_file: 100 } },
  }
  expect(usageOf(stats)).toEqual({ cpu: 1, memoryBytes: 400, memoryLimitBytes: 1000 })
  expect(usageOf(null)).toEqual({ cpu: 0, memoryBytes: 0, memoryLimitBytes: 0 })
})
