import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { enqueue, type JobHandlers } from '../domain/job-names.ts'
import type { Logger } from '../lib/logger.ts'
import { DatabaseLost } from '../store/database-lost.ts'
import { afterDelete } from '../store/dialect.ts'
import { JobCancelled } from './job-runner.ts'
import { createWorker, type Worker } from './worker.ts'

const silent = pino({ level: 'silent' })
const LIMIT_MS = 20_000
let test: Awaited<ReturnType<typeof openTestDatabase>>
let worker: Worker | undefined
let isDiskFull = false

beforeEach(async () => {
  test = await openTestDatabase()
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
  isDiskFull = false
  await test[Symbol.asyncDispose]()
})

function parts(run: JobHandlers['deployment.run'], slots = 2, log: Logger = silent) {
  const handlers: JobHandlers = {
    'deployment.run': run,
    'app.restore': async () => undefined,
    'app.remove': async () => undefined,
    'app.move': async () => undefined,
    'volume.remove': async () => undefined,
  }
  return {
    db: test.db,
    nudge: test.nudge,
    handlers,
    workerId: 'w',
    slots: async () => slots,
    isDiskFull: async () => isDiskFull,
    log,
    now: () => new Date(),
  }
}
async function startWorker(...given: Parameters<typeof parts>): Promise<Worker> {
  worker = createWorker(parts(...given))
  await worker.start()
  return worker
}
async function add(deploymentId: number, appId: number, by = 1): Promise<void> {
  await test.db.transaction(async (tx) => await enqueue(tx, 'deployment.run', { deploymentId, appId }, { by, at: new Date() }))
}
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('the condition was not met in time')
    await sleep(5)
  }
}
async function jobs() {
  return await test.db.selectFrom('job').selectAll().orderBy('id').execute()
}
/** A handler that lasts until its signal says stop. */
async function untilStopped(signal: AbortSignal): Promise<void> {
  await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })) // reasons of ours are errors
}

it('runs the jobs of a lane one at a time, and lanes in parallel, up to its slots', async () => {
  const events: string[] = []
  let busy = 0
  let most = 0
  await startWorker(async ({ deploymentId }) => {
    busy += 1
    most = Math.max(most, busy)
    events.push(`+${deploymentId}`)
    await until(() => most === 2)
    events.push(`-${deploymentId}`)
    busy -= 1
  })
  for (const [id, app] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 1],
  ] as const)
    await add(id, app)
  await until(async () => (await jobs()).length === 0)
  expect(most).toBe(2)
  const ofLane = events.filter((event) => ['1', '2', '5'].includes(event.slice(1)))
  expect(ofLane).toEqual(['+1', '-1', '+2', '-2', '+5', '-5'])
})

it('retries a failed job later', async () => {
  let tries = 0
  await startWorker(async () => {
    tries += 1
    if (tries === 1) throw new Error('the engine was away')
  })
  await add(1, 1)
  await until(async () => (await jobs()).length === 0)
  expect(tries).toBe(2)
})

it('a cancelled job does not come back, and the next one of its lane runs', async () => {
  const reasons: unknown[] = []
  const begun: number[] = []
  const done: number[] = []
  const { cancelLane } = await startWorker(async ({ deploymentId }, signal) => {
    begun.push(deploymentId)
    if (deploymentId === 1)
      await untilStopped(signal).catch((reason: unknown) => {
        reasons.push(reason)
        throw reason
      })
    done.push(deploymentId)
  })
  await add(1, 1)
  await add(2, 1)
  await until(() => begun.length > 0)
  cancelLane('app:7')
  cancelLane('app:1')
  await until(async () => (await jobs()).length === 0)
  expect(reasons[0]).toBeInstanceOf(JobCancelled)
  expect(done).toEqual([2])
})

it('a job that stops with the process runs again in the next one', async () => {
  let hasBegun = false
  const first = await startWorker(async (_payload, signal) => {
    hasBegun = true
    await untilStopped(signal)
  })
  await add(1, 1)
  await until(() => hasBegun)
  await first.stop()
  expect(await jobs()).toMatchObject([{ worker: null, lease_until: null, attempts: 1 }])
  const seen: number[] = []
  await startWorker(async ({ deploymentId }) => void seen.push(deploymentId))
  await until(async () => (await jobs()).length === 0)
  expect(seen).toEqual([1])
})

it('claims no new job that is held, and goes on when it is not', async () => {
  const removal = (appId: number) => ({ appId, projectId: 1, deleteVolumes: false })
  const done: number[] = []
  const { hold } = await startWorker(async ({ deploymentId }) => void done.push(deploymentId))
  hold('long')
  await add(1, 1)
  await test.db.transaction(async (tx) => await enqueue(tx, 'app.remove', removal(2), { by: 1, at: new Date() }))
  await until(async () => (await jobs()).length === 1)
  hold('all')
  await test.db.transaction(async (tx) => await enqueue(tx, 'app.remove', removal(3), { by: 1, at: new Date() }))
  await sleep(50)
  expect([done, (await jobs()).map(({ name }) => name)]).toEqual([[], ['deployment.run', 'app.remove']])
  hold('none')
  await until(async () => (await jobs()).length === 0)
  expect(done).toEqual([1])
})

it('starts removals but no deployments while the disk is full, and resumes by itself when there is space', async () => {
  isDiskFull = true
  const done: number[] = []
  await startWorker(async ({ deploymentId }) => void done.push(deploymentId))
  await add(1, 1)
  await add(2, 1)
  const removal = { appId: 2, projectId: 1, deleteVolumes: false }
  await test.db.transaction(async (tx) => await enqueue(tx, 'app.remove', removal, { by: 1, at: new Date() }))
  await until(async () => (await jobs()).length === 2)
  expect(await jobs()).toMatchObject([{ attempts: 0 }, { attempts: 0 }])
  isDiskFull = false
  await until(async () => (await jobs()).length === 0)
  expect(done).toEqual([1, 2])
})

it('retries saving the result of a job by the clock, however much else is committed', async () => {
  const lines: string[] = []
  const counting = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  await test.db.transaction(async (tx) => {
    await afterDelete(tx, { name: 'keep_jobs', table: 'job', statement: 'insert into fact (name, value) values (null, null)' })
  })
  await startWorker(async () => undefined, 2, counting)
  await add(1, 1)
  await until(() => lines.length > 0)
  for (let n = 0; n < 100; n += 1) {
    await test.db.transaction(
      async (tx) =>
        await tx
          .insertInto('fact')
          .values({ name: `${n}`, value: '' })
          .execute(),
    )
    await sleep(1)
  }
  expect(lines.length).toBeLessThan(20) // one for each commit if a commit woke it
})

it('reads the queue a few times a second, however much is committed', async () => {
  let looks = 0
  const given = parts(async () => undefined)
  worker = createWorker({ ...given, slots: async () => (looks += 1) })
  await worker.start()
  const begin = performance.now()
  for (let n = 0; n < 100; n += 1) {
    test.nudge.nudge()
    await sleep(2)
  }
  expect(looks).toBeGreaterThan(1)
  expect(looks).toBeLessThanOrEqual(2 + (performance.now() - begin) / 20) // 25 ms apart, and timers may be a little early
  const ran = Promise.withResolvers<void>()
  given.handlers['deployment.run'] = async () => ran.resolve()
  await add(1, 1)
  await ran.promise
})

it('a user with nothing running gets a slot next to builds that never end, and so do removals', async () => {
  const begun: number[] = []
  await startWorker(async ({ deploymentId }, signal) => {
    begun.push(deploymentId)
    await untilStopped(signal)
  })
  for (const id of [1, 2, 3, 4]) await add(id, id, 1)
  await until(() => begun.length === 2)
  await add(5, 5, 2)
  await until(() => begun.includes(5))
  const removal = { appId: 6, projectId: 1, deleteVolumes: false }
  await test.db.transaction(async (tx) => await enqueue(tx, 'app.remove', removal, { by: 1, at: new Date() }))
  await until(async () => (await jobs()).every(({ name }) => name === 'deployment.run'))
  expect(begun).toEqual([1, 2, 5])
})

it('is stalled when a job has been due for long, but not while it waits for its turn', async () => {
  const long = { by: 1, at: new Date(Date.now() - 600_000) }
  const never = createWorker({ ...parts(async () => undefined), workerId: 'never started' })
  expect(await never.isStalled()).toBe(false)
  await test.db.transaction(async (tx) => {
    for (const deploymentId of [1, 2]) await enqueue(tx, 'deployment.run', { deploymentId, appId: deploymentId }, long)
  })
  await expect.poll(async () => await never.isStalled(), { timeout: 10_000 }).toBe(true) // it is kept for two seconds
  const { isStalled } = await startWorker(async (_payload, signal) => await untilStopped(signal), 1)
  await until(async () => (await jobs()).some((job) => job.worker !== null))
  expect(await isStalled()).toBe(false)
})

it('however many ask whether it is stalled, the queue is read once', async () => {
  let looks = 0
  const slots = async () => {
    looks += 1
    return 1
  }
  const { isStalled } = createWorker({ ...parts(async () => undefined), workerId: 'never started', slots })
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await isStalled()))
  expect([new Set(answers), looks]).toEqual([new Set([false]), 1])
})

it('a job that is claimed while the worker stops does not begin, and runs after the next start', async () => {
  const slotsAsked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<number>()
  const begun: number[] = []
  const given = parts(async ({ deploymentId }) => void begun.push(deploymentId))
  worker = createWorker({
    ...given,
    slots: async () => {
      slotsAsked.resolve()
      return await answer.promise
    },
  })
  await add(1, 1)
  await worker.start()
  await slotsAsked.promise
  const stopped = worker.stop()
  answer.resolve(2)
  await stopped
  expect([begun, (await jobs()).length]).toEqual([[], 1])
  await startWorker(given.handlers['deployment.run'])
  await until(() => begun.length === 1)
})

it('a job whose claim was stored, but not confirmed, runs all the same, and running ones are left alone', async () => {
  const done: number[] = []
  const release = Promise.withResolvers<void>()
  let begun = 0
  let isLost = false
  const given = parts(async ({ deploymentId }) => {
    begun += 1
    await release.promise
    done.push(deploymentId)
  })
  const transaction: typeof test.db.transaction = async (work, options) => {
    const result = await test.db.transaction(work, options)
    if (!isLost) return result
    isLost = false
    throw new DatabaseLost(new Error('the connection ended'))
  }
  worker = createWorker({ ...given, db: { ...test.db, transaction } })
  await worker.start()
  await add(1, 1)
  await until(() => begun === 1)
  isLost = true
  await add(2, 2)
  await until(() => begun === 2)
  expect(await jobs()).toMatchObject([
    { worker: 'w', attempts: 1 },
    { worker: 'w', attempts: 2 },
  ])
  release.resolve()
  await until(async () => (await jobs()).length === 0)
  expect(done.toSorted((a, b) => a - b)).toEqual([1, 2])
})
