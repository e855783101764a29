import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { decideAppData, findAppData, findDataMove, listLeftVolumes } from '../../domain/app-data.ts'
import { setAppStatus } from '../../domain/app-status.ts'
import { findApp } from '../../domain/rows.ts'
import { EngineError } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { volumeName } from '../../engine/labels.ts'
import type { Step } from '../../lib/step.ts'
import { TUNING } from '../../lib/tuning.ts'
import { createMoveApp } from './run.ts'
import { insertMove, setStage } from './store.ts'

const DIED = new Error('the process has died')
const WHOLE = 'all the data'
const FREE_BYTES = 1024 ** 4

/** An app on this server that is to be moved to `b`, and a world with its volume, in which a process can die before or after each step. */
async function openLab({ copyFails = '', starts = true, isEndless = false, copyDeadlineMs = TUNING.copyDeadlineMs } = {}) {
  const test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const volume = volumeName('i', app.id)
  const contents = new Map([['this', WHOLE]])
  const startedAt: string[] = []
  const visitedAt: string[] = []
  let [steps, dieAt] = [0, Number.POSITIVE_INFINITY]
  const dataAt = async () => (await findAppData(db, app.id))?.server ?? ''

  async function copyVolume({ to = 'this', mostBytes, signal }: { to?: string; mostBytes: number; signal: AbortSignal }) {
    expect(mostBytes).toBe(FREE_BYTES - TUNING.diskFloorBytes)
    contents.set(to, 'half of it')
    if (isEndless) await sleep(60_000, undefined, { signal })
    if (copyFails !== '') throw new EngineError(500, copyFails)
    contents.set(to, contents.get(await dataAt()) ?? '')
    return { files: 1, bytes: 1, checksum: '' }
  }
  async function restore() {
    const place = await dataAt()
    expect(contents.get(place)).toBe(WHOLE) // it is never started with anything else
    startedAt.push(place)
    const status = starts || place === 'this' ? ('running' as const) : ('error' as const)
    await db.transaction(
      async (tx) => await setAppStatus(tx, new Date(), app.id, { status, reason: status === 'error' ? 'no answer' : '' }),
    )
  }
  const engine = {
    containers: { stop: async () => undefined, remove: async () => undefined },
    volumes: { list: async () => [{ name: volume }] },
    placedVolumes: { list: async () => [volume, `${volume}9`], freeBytes: async () => FREE_BYTES },
    networks: { ensureProjectNetwork: async () => undefined },
    copyVolume,
  } as unknown as Engine // only what is called
  let process = new AbortController()
  const die = () => {
    steps += 1
    if (steps !== dieAt) return
    process.abort()
    throw DIED
  }
  const step: Step = async (_name, work) => {
    die()
    const result = await work()
    die()
    return result
  }
  const log = pino({ level: 'silent' })
  const routes = { restore: async (appId: number) => void visitedAt.push(`${appId} ${await dataAt()}`) }
  const tuning = { ...TUNING, copyDeadlineMs, copyLookMs: 5 }
  const parts = { db, engine, instance: 'i', containers: { ofApp: async () => [] }, tuning, restore, routes, step, log }
  const move = createMoveApp({ ...parts, freeHere: async () => FREE_BYTES, now: () => new Date(), onChanged: () => undefined })
  await db.transaction(async (tx) => {
    await decideAppData(tx, { app_id: app.id, server: 'this', server_name: '', decided_at: '' })
    const to = { to_server: 'b', to_name: 'n2', stage: 'copying', problem: '' } as const
    await insertMove(tx, { app_id: app.id, from_server: 'this', from_name: '', from_placement: '', ...to })
  })

  /** As one process does it; returns whether it died. */
  async function run(at = Number.POSITIVE_INFINITY): Promise<boolean> {
    ;[steps, dieAt] = [0, at]
    process = new AbortController()
    try {
      await move({ appId: app.id }, process.signal)
      return false
    } catch (cause) {
      if (cause !== DIED) throw cause
      return true
    }
  }
  return {
    db,
    app,
    contents,
    startedAt,
    visitedAt,
    run,
    end: () => process.abort(),
    dataAt,
    placement: async () => (await findApp(db, app.id))?.placement,
    left: async () => (await listLeftVolumes(db)).map(({ server, volume: name }) => `${server} ${name}`),
    isOver: async () => (await findDataMove(db, app.id)) === undefined,
    problem: async () => (await findAppData(db, app.id))?.move_problem,
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  }
}

it('the data is copied, the record is switched, the app starts there, and only then the old copy may go', async () => {
  await using lab = await openLab()
  await lab.run()
  expect([await lab.dataAt(), await lab.placement(), await lab.left(), await lab.isOver()]).toEqual(['b', 'server:b', ['this '], true])
  expect([lab.startedAt, lab.visitedAt]).toEqual([['b'], [`${lab.app.id} b`]])
})

it.each([
  ['it works', {}, 'b'],
  ['the disk is full', { copyFails: 'write /data/x: no space left on device' }, 'this'],
  ['the app does not start there', { starts: false }, 'this'],
] as const)('when %s, a process may die before and after every step, and the data is whole where the app is', async (_how, world, end) => {
  let died = 0
  for (let at = 1; ; at += 1) {
    await using lab = await openLab(world)
    const hasDied = await lab.run(at)
    expect(lab.contents.get(await lab.dataAt())).toBe(WHOLE)
    if (!hasDied) break
    died += 1
    await lab.run()
    expect([await lab.isOver(), await lab.dataAt()]).toEqual([true, end])
    expect(lab.contents.get(end)).toBe(WHOLE)
    expect(lab.startedAt.at(-1)).toBe(end)
    expect(await lab.left()).toEqual([end === 'b' ? 'this ' : 'b '])
  }
  expect(died).toBeGreaterThan(5)
})

it.each([
  [{ copyFails: 'write /data/x: no space left on device' }, 'there is no space left on the disk of one of the servers'],
  [{ starts: false }, 'did not start there, so it was moved back: no answer'],
])('a move that goes back says why (%s)', async (world, words) => {
  await using lab = await openLab(world)
  await lab.run()
  expect(await lab.problem()).toContain(words)
  expect([await lab.dataAt(), await lab.placement(), await lab.isOver()]).toEqual(['this', '', true])
})

it('a copy that takes too long ends, and the app starts again where it was', async () => {
  await using lab = await openLab({ isEndless: true, copyDeadlineMs: 20 })
  await lab.run()
  expect(await lab.problem()).toContain('it took longer than 0 hours')
  expect([await lab.dataAt(), await lab.isOver(), await lab.left()]).toEqual(['this', true, ['b ']])
  expect(lab.startedAt).toEqual(['this'])
})

it('a copy that somebody stops ends, and the reason is theirs', async () => {
  await using lab = await openLab({ isEndless: true })
  const running = lab.run()
  const found = await findDataMove(lab.db, lab.app.id)
  if (!found) throw new Error('there is no move')
  await lab.db.transaction(async (tx) => await setStage(tx, found, { stage: 'back', problem: 'Ann stopped it.' }))
  await running
  expect(await lab.problem()).toBe('Ann stopped it.')
  expect([await lab.dataAt(), await lab.isOver(), lab.startedAt]).toEqual(['this', true, ['this']])
})

it('a process that ends while it copies leaves the move to the next one', async () => {
  await using lab = await openLab({ isEndless: true })
  setTimeout(() => lab.end(), 50)
  await expect(lab.run()).rejects.toThrow('aborted')
  expect((await findDataMove(lab.db, lab.app.id))?.stage).toBe('copying')
})
