import { expect, it } from 'vitest'
import { addApp } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { setWanted } from '../domain/app-status.ts'
import { appLane } from '../domain/job-names.ts'
import type { Engine } from '../engine/engine.ts'
import { createSpread } from './spread.ts'

type Crowded = Awaited<ReturnType<Engine['apart']['crowded']>>[number]

/** One app with two replicas on one server, and a clock. */
async function open() {
  const test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const seen = { ms: 0, crowded: ['r2'], isBusy: false, doAnswer: true }
  const effects: string[] = []
  const one = (id: string) => ({ id, name: id, owner: { appId: app.id }, replicas: ['r1', 'r2'], taken: ['n2'] }) as unknown as Crowded // what is read of it
  const spread = createSpread({
    db,
    engine: {
      apart: {
        crowded: async () => seen.crowded.map(one),
        moveAway: async (id, taken) => void effects.push(`move ${id} from ${taken.join()}`),
      },
    },
    instance: 'abc',
    busyLanes: async () => new Set(seen.isBusy ? [appLane(app.id)] : []),
    doAnswer: async (_app, containers) => seen.doAnswer && containers.length === 2,
    withoutVisitors: async (_app, { id }, work) => {
      effects.push(`without ${id}`)
      await work(id)
    },
    spreadAfterMs: 1000,
    now: () => new Date(seen.ms),
    log: { info: () => undefined, warn: (fields: object) => void effects.push(JSON.stringify(fields)) },
  })
  const at = async (ms: number) => {
    seen.ms = ms
    await spread()
    return effects.splice(0)
  }
  return { db, app, seen, at, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
}

const MOVED = ['without r2', 'move r2 from n2']

it('a replica that shares its server for a while is moved without its visitors, and not again and again', async () => {
  await using test = await open()
  expect(await test.at(0)).toEqual([])
  expect(await test.at(999)).toEqual([])
  expect(await test.at(1000)).toEqual(MOVED)
  expect(await test.at(60_000)).toEqual([])
  expect(await test.at(11 * 60_000)).toEqual(MOVED)
})

it('the time begins again when it was apart meanwhile', async () => {
  await using test = await open()
  await test.at(0)
  test.seen.crowded = []
  await test.at(900)
  test.seen.crowded = ['r2']
  expect(await test.at(1100)).toEqual([])
  expect(await test.at(2100)).toEqual(MOVED)
})

it('an app that is busy, stopped, or has a replica that does not answer is left alone', async () => {
  await using test = await open()
  await test.at(0)
  test.seen.isBusy = true
  expect(await test.at(2000)).toEqual([])
  test.seen.isBusy = false
  test.seen.doAnswer = false
  expect(await test.at(3000)).toEqual([])
  test.seen.doAnswer = true
  await test.db.transaction(async (tx) => await setWanted(tx, test.app.id, 'stopped'))
  expect(await test.at(4000)).toEqual([])
  await test.db.transaction(async (tx) => await setWanted(tx, test.app.id, 'running'))
  expect(await test.at(5000)).toEqual(MOVED)
})
