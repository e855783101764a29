import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { enqueue } from '../domain/job-names.ts'
import type { Db, Tx } from '../store/database.ts'
import {
  claimJob,
  extendLease,
  insertJob,
  isHeldBy,
  type JobLease,
  lanesInQueue,
  postponeJob,
  releaseLeases,
  settleJob,
} from './queue-store.ts'

const start = new Date('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

async function add(db: Db, lane: string, name = 'deployment.run', tenant = 'user:1'): Promise<void> {
  await db.transaction(async (tx) => await insertJob(tx, { name, payload: {}, lane, tenant, at: start }))
}
async function claim(db: Db, seconds: number, worker = 'w', slots = 10) {
  return await db.transaction(async (tx) => await claimJob(tx, { worker, at: at(seconds), leaseUntil: at(seconds + 30), slots }))
}
async function leaseOf(tx: Tx, id: number): Promise<JobLease> {
  const { worker, fence } = await tx.selectFrom('job').select(['worker', 'fence']).where('id', '=', id).executeTakeFirstOrThrow()
  return { id, worker: worker ?? '', fence }
}
async function claimAll(db: Db, slots: number): Promise<number[]> {
  const job = await claim(db, 1, 'w', slots)
  return job ? [job.id, ...(await claimAll(db, slots))] : []
}

describe('claiming jobs', () => {
  it('returns the jobs of one lane one at a time and in order, in parallel with other lanes', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const lane of ['app:1', 'app:1', 'app:2']) await add(db, lane)
    const [first, second, none] = [await claim(db, 1), await claim(db, 1), await claim(db, 1)]
    expect([first?.id, second?.id, none]).toEqual([1, 3, undefined])
    await db.transaction(async (tx) => await settleJob(tx, await leaseOf(tx, 1)))
    expect((await claim(db, 2))?.id).toBe(2)
  })

  it('on a full disk only claims deployments that are ahead of the removal of their app', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const [lane, name] of [
      ['app:1', 'deployment.run'],
      ['app:2', 'deployment.run'],
      ['app:2', 'app.remove'],
      ['app:3', 'app.remove'],
      ['app:4', 'app.restore'],
    ] as const)
      await add(db, lane, name)
    const claimed: (number | undefined)[] = []
    for (let n = 0; n < 4; n += 1) {
      const asking = { worker: 'w', at: at(1), leaseUntil: at(31), slots: 10, onlyShort: true }
      claimed.push((await db.transaction(async (tx) => await claimJob(tx, asking)))?.id)
    }
    expect(claimed).toEqual([2, 4, 5, undefined])
    expect((await claim(db, 1))?.id).toBe(1)
  })

  it('a lapsed lease is free again, and the late worker can no longer end the job', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await add(db, 'app:1')
    expect((await claim(db, 0, 'slow'))?.attempts).toBe(1)
    expect(await claim(db, 29, 'other')).toBeUndefined()
    expect((await claim(db, 31, 'other'))?.attempts).toBe(2)
    const late = { id: 1, worker: 'slow', fence: 1 }
    const done = await db.transaction(async (tx) => [
      await settleJob(tx, late),
      await postponeJob(tx, { ...late, until: at(0) }),
      await extendLease(tx, { ...late, until: at(900) }),
    ])
    expect(done).toEqual([false, false, false])
    expect(await db.selectFrom('job').select(['worker', 'lease_until']).execute()).toEqual([
      { worker: 'other', lease_until: at(61).toISOString() },
    ])
  })

  it('an earlier claim is over even if the same worker has the job again', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await add(db, 'app:1')
    const first = { id: 1, worker: 'w', fence: (await claim(db, 0))?.fence ?? 0 }
    await claim(db, 31, 'other')
    const second = { id: 1, worker: 'w', fence: (await claim(db, 62))?.fence ?? 0 }
    expect([first.fence, second.fence]).toEqual([1, 3])
    expect([await isHeldBy(db, first), await isHeldBy(db, second)]).toEqual([false, true])
    expect(await db.transaction(async (tx) => await settleJob(tx, first))).toBe(false)
    expect(await db.transaction(async (tx) => await settleJob(tx, second))).toBe(true)
  })

  it('a worker does not claim once more what it runs already, however far the clock was set', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await add(db, 'app:1')
    await claim(db, 0)
    expect(await claim(db, 86_400)).toBeUndefined()
    expect((await claim(db, 86_400, 'other'))?.attempts).toBe(2)
  })

  it('a lease that is extended stays', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await add(db, 'app:1')
    await claim(db, 0)
    await db.transaction(async (tx) => await extendLease(tx, { ...(await leaseOf(tx, 1)), until: at(100) }))
    expect(await claim(db, 99, 'other')).toBeUndefined()
  })

  it('a postponed job waits for its time, and holds its lane back', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await add(db, 'app:1')
    await add(db, 'app:1')
    await claim(db, 0)
    await db.transaction(async (tx) => await postponeJob(tx, { ...(await leaseOf(tx, 1)), until: at(60) }))
    expect(await claim(db, 59)).toBeUndefined()
    expect((await claim(db, 60))?.id).toBe(1)
  })

  it('at startup every lease is released', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await add(db, 'app:1')
    await claim(db, 0, 'a process that died')
    expect(await claim(db, 1, 'the next')).toBeUndefined()
    await db.transaction(async (tx) => await releaseLeases(tx))
    expect((await claim(db, 1, 'the next'))?.id).toBe(1)
  })

  it('at the start of a node only the leases of its own earlier runs are released', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const lane of ['app:1', 'app:2', 'app:3']) await add(db, lane)
    for (const worker of ['a/first', 'ab/first', 'b/first']) await claim(db, 0, worker)
    await db.transaction(async (tx) => await releaseLeases(tx, { prefix: 'a/' }))
    const held = await db.selectFrom('job').select('worker').orderBy('id').execute()
    expect(held.map(({ worker }) => worker)).toEqual([null, 'ab/first', 'b/first'])
  })

  it('knows the lanes that have work: of a deployment.run, an app.restore and an app.remove', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await db.transaction(async (tx) => {
      await enqueue(tx, 'deployment.run', { deploymentId: 1, appId: 1 }, { by: 1, at: start })
      await enqueue(tx, 'app.restore', { appId: 2 }, { by: 1, at: start })
      await enqueue(tx, 'app.remove', { appId: 3, projectId: 1, deleteVolumes: false }, { by: 1, at: start })
    })
    expect((await lanesInQueue(db)).toSorted()).toEqual(['app:1', 'app:2', 'app:3'])
    expect(await claimAll(db, 10)).toEqual([2, 3, 1])
  })

  it('whatever the order of claims and endings, a lane never runs two at once and never overtakes itself', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(5), { maxLength: 20 }),
        async (lanes, moves) => {
          await db.transaction(async (tx) => await tx.deleteFrom('job').execute())
          for (const lane of lanes) await add(db, `app:${lane}`)
          const wrong: string[] = []
          const running = new Map<string, number>()
          const ended = new Map<string, number>()
          for (const move of moves) {
            const job = move > 1 ? await claim(db, 1) : undefined
            if (job) {
              wrong.push(...(running.has(job.lane) ? [`${job.lane} runs twice`] : []))
              wrong.push(...(job.id > (ended.get(job.lane) ?? 0) ? [] : [`${job.lane} has overtaken itself`]))
              running.set(job.lane, job.id)
              continue
            }
            const [lane, id] = [...running][move % Math.max(1, running.size)] ?? []
            if (lane === undefined || id === undefined) continue
            await db.transaction(async (tx) => await settleJob(tx, await leaseOf(tx, id)))
            running.delete(lane)
            ended.set(lane, id)
          }
          expect(wrong).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('sharing the slots', () => {
  it('one person can take all slots, and there is one more for people who have nothing running', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const lane of ['app:1', 'app:2', 'app:3']) await add(db, lane)
    expect(await claimAll(db, 2)).toEqual([1, 2])
    for (const tenant of ['user:2', 'user:2', 'user:3']) await add(db, `app:of ${tenant}`, 'deployment.run', tenant)
    expect(await claimAll(db, 2)).toEqual([4])
    await db.transaction(async (tx) => await settleJob(tx, await leaseOf(tx, 4)))
    expect(await claimAll(db, 2)).toEqual([5])
  })

  it('the person with the fewest running jobs comes first, then the oldest job', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const lane of ['app:1', 'app:2', 'app:3', 'app:4']) await add(db, lane)
    for (const lane of ['app:5', 'app:6']) await add(db, lane, 'deployment.run', 'user:2')
    await add(db, 'app:7', 'deployment.run', 'user:3')
    expect(await claimAll(db, 6)).toEqual([1, 5, 7, 2, 6, 3])
  })

  it('removals, the jobs ahead of them, and restores do not wait for builds, and share their own slots', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const lane of ['app:1', 'app:2', 'app:3']) await add(db, lane)
    expect(await claimAll(db, 1)).toEqual([1])
    await add(db, 'app:2', 'app.remove')
    for (const lane of ['app:4', 'app:5']) await add(db, lane, 'app.restore')
    expect(await claimAll(db, 1)).toEqual([2, 5])
    await db.transaction(async (tx) => await settleJob(tx, await leaseOf(tx, 5)))
    expect(await claimAll(db, 1)).toEqual([6])
    await add(db, 'app:6', 'app.remove', 'user:2')
    expect(await claimAll(db, 1)).toEqual([7])
  })

  it('the slots of a dead worker are free', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    await add(db, 'app:1')
    await add(db, 'app:2')
    expect((await claim(db, 0, 'gone', 1))?.id).toBe(1)
    expect(await claim(db, 1, 'next', 1)).toBeUndefined()
    expect((await claim(db, 31, 'next', 1))?.id).toBe(1)
  })
})

describe('after crashes', () => {
  /** Everything runs until the process ends and the next one has begun; the job of this lane ends it, alone or beside others. */
  async function crashBy(db: Db, lane: string, slots: number): Promise<{ alone: boolean }> {
    for (;;) {
      const ids = await claimAll(db, slots)
      if (ids.length === 0) throw new Error('nothing runs')
      const running = await db.selectFrom('job').selectAll().where('id', 'in', ids).execute()
      if (running.some((job) => job.lane === lane)) {
        await db.transaction(async (tx) => await releaseLeases(tx))
        return { alone: running.length === 1 }
      }
      for (const { id } of running) await db.transaction(async (tx) => await settleJob(tx, await leaseOf(tx, id)))
    }
  }

  it('jobs that were interrupted twice run one at a time, so that the one that ends the process is left alone with it', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const [n, lane] of ['app:1', 'app:culprit', 'app:2', 'app:3'].entries()) await add(db, lane, 'deployment.run', `user:${n}`)
    const left = async () => await db.selectFrom('job').select(['lane', 'attempts']).orderBy('id').execute()
    for (let crash = 1; crash <= 2; crash += 1) expect(await crashBy(db, 'app:culprit', 4)).toEqual({ alone: false })
    expect((await left()).map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2])
    for (let crash = 3; crash <= 5; crash += 1) expect(await crashBy(db, 'app:culprit', 4)).toEqual({ alone: true })
    expect(await left()).toEqual([{ lane: 'app:culprit', attempts: 5 }])
  })

  it('jobs that were not interrupted so often run beside one that was', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    for (const lane of ['app:1', 'app:2']) await add(db, lane)
    for (let crash = 1; crash <= 2; crash += 1) {
      expect(await claimAll(db, 4)).toEqual([1, 2])
      await db.transaction(async (tx) => await releaseLeases(tx))
    }
    await add(db, 'app:3')
    expect(await claimAll(db, 4)).toEqual([1, 3])
    await db.transaction(async (tx) => await settleJob(tx, await leaseOf(tx, 1)))
    expect(await claimAll(db, 4)).toEqual([2])
  })
})
