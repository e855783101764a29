import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import type { Db } from '../store/database.ts'
import { writeFact } from '../store/facts.ts'
import { createFence } from './fence.ts'
import { createLeadership } from './leadership.ts'

const START = new Date('2026-01-01T00:00:00Z').getTime()
const never = new AbortController().signal

async function openNodes() {
  const test = await openTestDatabase()
  let seconds = 0
  const gained: string[] = []
  function node(holder: string, run: (guarded: Db, signal: AbortSignal) => Promise<void>) {
    const fence = createFence(test.db)
    const guarded = fence.guardDb(test.db)
    const now = () => new Date(START + seconds * 1000)
    const leadership = createLeadership({
      db: test.db,
      holder,
      fence,
      now,
      log: pino({ level: 'silent' }),
      onGained: () => void gained.push(holder),
    })
    const task = leadership.single({ name: 't', everyMs: 1, run: async (signal) => await run(guarded, signal) })
    return { ...leadership, run: async () => await task.run(never) }
  }
  return {
    node,
    gained,
    wait: (more: number) => void (seconds += more),
    written: async () => (await test.db.selectFrom('fact').select('value').where('name', '=', 'by').execute())[0]?.value,
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  }
}

function writer(name: string) {
  return async (db: Db) => await db.transaction(async (tx) => await writeFact(tx, 'by', name))
}

it('one node runs the loops, and another one when that one is not heard of or leaves', async () => {
  await using nodes = await openNodes()
  const [a, b] = [nodes.node('a', writer('a')), nodes.node('b', writer('b'))]
  await a.extend()
  await b.extend()
  await b.run()
  expect([nodes.gained, await nodes.written()]).toEqual([['a'], undefined])
  await a.run()
  expect(await nodes.written()).toBe('a')
  nodes.wait(10)
  await a.extend()
  nodes.wait(10)
  await b.extend()
  expect(nodes.gained).toEqual(['a'])
  nodes.wait(20)
  await b.extend()
  await b.run()
  expect([nodes.gained, await nodes.written()]).toEqual([['a', 'b'], 'b'])
  await b.leave()
  await b.run()
  await a.extend()
  expect(nodes.gained).toEqual(['a', 'b', 'a'])
})

it('a holder that was paused in the middle of a loop changes nothing when it wakes up, and its loop is aborted', async () => {
  await using nodes = await openNodes()
  const [paused, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let signalOfA: AbortSignal | undefined
  const a = nodes.node('a', async (db, signal) => {
    signalOfA = signal
    paused.resolve()
    await woken.promise
    await writer('a, too late')(db)
  })
  const b = nodes.node('b', writer('b'))
  await a.extend()
  const running = a.run()
  await paused.promise
  nodes.wait(60)
  await b.extend()
  await b.run()
  woken.resolve()
  await expect(running).rejects.toMatchObject({ name: 'LeaseLost' })
  expect([signalOfA?.aborted, await nodes.written()]).toEqual([true, 'b'])
  await a.extend()
  expect([a.isHeld(), b.isHeld()]).toEqual([false, true])
})
