import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { AccessTake } from '../../edge/traffic/access-counts.ts'
import { createMeasure } from './measure.ts'
import { createFigures } from './service.ts'

const MINUTE = 60_000
const BEGIN = Date.parse('2026-01-01T12:00:05Z')
const caller = { id: 0, role: 'owner' } as Parameters<ReturnType<typeof createFigures>['glance']>[0] // no other field is read

/** A clock set by the test, and an app with one container that uses half a core. */
async function openLab() {
  const test = await openTestDatabase()
  const app = await addApp(test.db, 'a@example.test')
  const clock = { at: BEGIN }
  const now = () => new Date(clock.at)
  const served = new Map<string, AccessTake>()
  const container = {
    id: 'c',
    name: '',
    image: '',
    state: 'running',
    status: '',
    ips: {},
    createdAt: new Date(BEGIN).toISOString(),
    owner: { instance: 'i', projectId: 1, appId: app.id, deploymentId: 1, definition: null, service: null, replica: 1 },
  }
  const containers = {
    list: async () => [container],
    counters: async () => ({ cpuNanoseconds: (clock.at - BEGIN) * 0.5e6, memoryBytes: 64 * 1024 * 1024 }),
  }
  const open = (options: { isShared?: boolean } = {}) => {
    const takeTraffic = () => {
      const taken = new Map(served)
      served.clear()
      return taken
    }
    return createFigures({ db: test.db, measure: createMeasure({ engine: { containers }, instance: 'i' }), takeTraffic, now, ...options })
  }
  const rows = async () => await test.db.selectFrom('app_figure').select(['slot', 'hour']).execute()
  return { app, clock, served, open, rows, [Symbol.asyncDispose]: test[Symbol.asyncDispose] }
}

it('keeps what an app used and served, minute by minute, and says nothing about minutes without a measurement', async () => {
  await using lab = await openLab()
  const figures = lab.open()
  for (const requests of [0, 120]) {
    lab.clock.at += MINUTE
    if (requests > 0) lab.served.set(`app-${lab.app.id}`, { requests, errors: 6, p50Ms: 10, p99Ms: 90 })
    await figures.sample(true)
  }
  const { from, everySeconds, cpu, memory, requests, errors, p50, p99 } = await figures.read(lab.app.id)
  expect([everySeconds, from, cpu.length]).toEqual([60, '2026-01-01T11:03:00.000Z', 60])
  expect(cpu.slice(-3)).toEqual([null, 50, 50])
  expect(memory.at(-1)).toBe(67_110_000)
  expect([requests.slice(-2), errors.slice(-2)]).toEqual([
    [0, 2],
    [0, 0.1],
  ])
  expect([p50.slice(-2), p99.slice(-2)]).toEqual([
    [null, 10],
    [null, 90],
  ])
  expect(await figures.glance(caller)).toEqual([{ appId: lab.app.id, cpu: expect.arrayContaining([50]) }])
})

it('fills a skipped minute, but not the time when nothing ran', async () => {
  await using lab = await openLab()
  const figures = lab.open()
  lab.clock.at += 118_000
  await figures.sample(true)
  lab.clock.at += 10 * MINUTE
  await figures.sample(true)
  const { cpu } = await figures.read(lab.app.id)
  expect(cpu.slice(-12)).toEqual([50, 50, ...Array.from({ length: 9 }, () => null), 50].slice(-12))
})

it('writes in batches, survives a restart, and never keeps more than 25 rows', async () => {
  await using lab = await openLab()
  const figures = lab.open()
  for (let minute = 1; minute <= 4; minute += 1) {
    lab.clock.at += MINUTE
    await figures.sample(true)
  }
  expect(await lab.rows()).toEqual([])
  await figures.stop()
  expect(await lab.rows()).toHaveLength(1)
  const again = lab.open()
  expect((await again.read(lab.app.id)).cpu.filter((value) => value !== null)).toEqual([50, 50, 50, 50])
  for (let hour = 1; hour <= 30; hour += 1) {
    lab.clock.at += 60 * MINUTE
    await again.sample(true)
  }
  expect(await lab.rows()).toHaveLength(25)
  expect((await again.read(lab.app.id, '24h')).cpu.filter((value) => value !== null)).toHaveLength(24)
  lab.clock.at += MINUTE
  await again.sample(false)
  expect((await again.read(lab.app.id)).cpu.at(-1), 'the engine was away').toBeNull()
})

it('of several nodes each shows what the one that takes samples has saved, also after another one took over', async () => {
  await using lab = await openLab()
  const [a, b] = [lab.open({ isShared: true }), lab.open({ isShared: true })]
  const cpuAt = async (node: typeof a) => (await node.read(lab.app.id)).cpu.filter((value) => value !== null).length
  const take = async (node: typeof a, minutes: number) => {
    for (let n = 0; n < minutes; n += 1) {
      lab.clock.at += MINUTE
      await node.sample(true)
    }
  }
  expect(await cpuAt(b)).toBe(0)
  await take(a, 5)
  expect([await cpuAt(a), await cpuAt(b)]).toEqual([5, 5])
  await take(b, 5)
  expect([await cpuAt(a), await cpuAt(b)]).toEqual([9, 9]) // in its first minute a node has nothing to compare with
  await take(a, 3)
  expect(await cpuAt(b)).toBe(12)
  lab.served.set(`app-${lab.app.id}`, { requests: 120, errors: 0, p50Ms: 10, p99Ms: 90 })
  await take(b, 1) // for a moment: what a has in memory is not old yet
  await take(a, 1)
  await b.stop()
  const served = async (node: typeof a) => (await node.read(lab.app.id)).requests.filter((value) => value !== null && value > 0).length
  expect([await served(a), await served(b)]).toEqual([1, 1])
})
