import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { enqueue, type JobHandlers } from '../domain/job-names.ts'
import { createFence, LeaseLost } from '../nodes/fence.ts'
import type { Db } from '../store/database.ts'
import { writeFact } from '../store/facts.ts'
import { JobCancelled } from './job-runner.ts'
import { createWorker, type Unwanted } from './worker.ts'

type Run = (guarded: Db, signal: AbortSignal) => Promise<void>

async function openNodes() {
  const test = await openTestDatabase()
  const fence = createFence(test.db)
  const guarded = fence.guardDb(test.db)
  const workers: ReturnType<typeof createWorker>[] = []

  async function start(name: string, run: Run, { unwanted = async () => [] }: { unwanted?: Unwanted } = {}): Promise<void> {
    const nothing = async () => undefined
    const others = { 'app.restore': nothing, 'app.remove': nothing, 'volume.remove': nothing, 'app.move': nothing }
    const handlers: JobHandlers = { 'deployment.run': async (_payload, signal) => await run(guarded, signal), ...others }
    const worker = createWorker({
      db: test.db,
      nudge: test.nudge,
      handlers,
      workerId: `${name}/boot`,
      slots: async () => 2,
      isDiskFull: async () => false,
      log: pino({ level: 'silent' }),
      now: () => new Date(),
      node: { leasePrefix: `${name}/`, fence, unwanted },
    })
    workers.push(worker)
    await worker.start()
  }

  return {
    db: test.db,
    fence,
    start,
    add: async () =>
      await test.db.transaction(
        async (tx) => await enqueue(tx, 'deployment.run', { deploymentId: 1, appId: 1 }, { by: 1, at: new Date() }),
      ),
    /** As if it had not been heard of for longer than its lease. */
    expire: async () => await test.db.transaction(async (tx) => await tx.updateTable('job').set({ lease_until: '2020-01-01' }).execute()),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const worker of workers) await worker.stop()
      await test[Symbol.asyncDispose]()
    },
  }
}

it('a job that another node took over can write nothing more, change nothing more, and does not end it', async () => {
  await using nodes = await openNodes()
  const [woken, seen] = [Promise.withResolvers<void>(), [] as unknown[]]
  let signalOfPaused: AbortSignal | undefined
  const write = async (db: Db, value: string) => await db.transaction(async (tx) => await writeFact(tx, 'written by', value))
  await nodes.add()
  await nodes.start('paused', async (db, signal) => {
    signalOfPaused = signal
    await write(db, 'paused')
    await woken.promise
    await nodes.fence.check().catch((cause: unknown) => seen.push(cause))
    await write(db, 'paused, too late')
  })
  await expect.poll(() => signalOfPaused).toBeDefined()
  const mayEnd = Promise.withResolvers<void>()
  await nodes.start('next', async (db) => {
    await write(db, 'next')
    await mayEnd.promise
  })
  await nodes.expire()
  const written = async () => (await nodes.db.selectFrom('fact').select('value').where('name', '=', 'written by').execute())[0]?.value
  await expect.poll(written, { timeout: 10_000 }).toBe('next')
  woken.resolve()
  await expect.poll(() => signalOfPaused?.reason as unknown, { timeout: 10_000 }).toBeInstanceOf(LeaseLost)
  expect(seen).toMatchObject([{ name: 'LeaseLost' }])
  await sleep(200)
  expect(await written()).toBe('next')
  expect(await nodes.db.selectFrom('job').select(['worker', 'fence']).execute()).toEqual([{ worker: 'next/boot', fence: 2 }])
  mayEnd.resolve()
  await expect.poll(async () => (await nodes.db.selectFrom('job').select('id').execute()).length, { timeout: 10_000 }).toBe(0)
})

it('a job that was cancelled by another node stops, and one that began after that does not', async () => {
  await using nodes = await openNodes()
  let isCancelled = false
  const reasons: unknown[] = []
  const unwanted: Unwanted = async (jobs) => (isCancelled ? jobs.map(({ id }) => id) : [])
  const run: Run = async (_db, signal) => {
    if (isCancelled) {
      await sleep(1500, undefined, { signal })
      reasons.push('went on')
      return
    }
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    reasons.push(signal.reason)
    throw signal.reason
  }
  await nodes.add()
  await nodes.start('a', run, { unwanted })
  await sleep(500)
  isCancelled = true
  await expect.poll(() => reasons, { timeout: 10_000 }).toHaveLength(1)
  expect(reasons[0]).toBeInstanceOf(JobCancelled)
  await nodes.add()
  await expect.poll(() => reasons[1], { timeout: 10_000 }).toBe('went on')
})
