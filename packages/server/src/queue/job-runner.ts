import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHandlers, JobName, JobPayloads } from '../domain/job-names.ts'
import type { Logger } from '../lib/logger.ts'
import { backoffMs } from '../lib/retry.ts'
import { type Fence, LeaseLost } from '../nodes/fence.ts'
import type { Db, Reader, Tx } from '../store/database.ts'
import { extendLease, isHeldBy, type JobLease, type JobRow, postponeJob, settleJob } from './queue-store.ts'

export const LEASE_MS = 30_000
const HEARTBEAT_MS = 10_000
const EXPIRY_LOOK_MS = 500
const RETRY = { firstMs: 1000, longestMs: 60_000 }
/** The longest is short enough that work resumes soon after the cause is fixed. */
const REST = { firstMs: 1000, longestMs: 10_000 }

/** Why a running job must stop. A cancelled job is finished; one interrupted by a shutdown runs again. */
export class JobCancelled extends Error {
  override readonly name = 'JobCancelled'
}

/** The pause after the n-th failure in a row. A nudge does not end it: other changes say nothing about what failed here. */
export async function rest(failures: number, stopping: AbortSignal): Promise<void> {
  await sleep(backoffMs(failures, REST), undefined, { signal: stopping }).catch(() => undefined)
}

type Deps = {
  db: Db
  handlers: JobHandlers
  workerId: string
  /** Aborted when the process stops. */
  stopping: AbortSignal
  /** Of one of several processes: others take over a job whose lease was not extended in time. */
  fence: Fence | undefined
  log: Logger
  now: () => Date
}

/** Runs one claimed job, keeps its lease alive while it runs, and saves the result. */
export function createJobRunner(deps: Deps) {
  const { db, handlers, workerId: worker, stopping, log, now } = deps

  function later(ms: number): Date {
    return new Date(now().getTime() + ms)
  }

  async function runHandler(job: JobRow, signal: AbortSignal): Promise<void> {
    const name = job.name as JobName // only enqueue writes this table
    const payload = JSON.parse(job.payload) as JobPayloads[JobName] // and it takes the payload of that name
    const handler = handlers[name] as (given: JobPayloads[JobName], stop: AbortSignal) => Promise<void>
    await handler(payload, signal)
  }

  async function run(job: JobRow, controller: AbortController): Promise<void> {
    const lease = { id: job.id, worker, fence: job.fence }
    const keeping = keepLease(deps, lease, controller)
    try {
      const { fence } = deps
      const work = async () => await runHandler(job, controller.signal)
      const held = { what: `job ${job.id}`, isHeld: async (db: Reader) => await isHeldBy(db, lease), lose: keeping.lose }
      await (fence ? fence.run(held, work) : work())
      await settle(lease)
    } catch (err) {
      if (stopping.aborted) return await giveBack(lease)
      const reason: unknown = controller.signal.reason
      if (reason instanceof JobCancelled) return await settle(lease)
      const isLost = reason instanceof LeaseLost // if nobody has taken it over yet, it is given back at once
      if (isLost) log.warn({ jobId: job.id, job: job.name }, 'Job stopped, because its lease was lost')
      else log.error({ jobId: job.id, job: job.name, attempts: job.attempts, err }, 'Job failed, trying again')
      const until = isLost ? now() : later(backoffMs(job.attempts, RETRY))
      await save(lease, async (tx) => await postponeJob(tx, { ...lease, until }))
    } finally {
      keeping.end()
    }
  }

  async function settle(lease: JobLease): Promise<void> {
    await save(lease, async (tx) => await settleJob(tx, lease))
  }

  async function giveBack(lease: JobLease): Promise<void> {
    await db.transaction(async (tx) => await postponeJob(tx, { ...lease, until: now() }), { mayUseReserve: true })
  }

  /**
   * The result of a job is never lost: the job keeps its slot until the result is written. On a full disk too, or nothing could be
   * removed there. A job that another process has taken over has its result from there.
   */
  async function save(lease: JobLease, write: (tx: Tx) => Promise<boolean>): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        if (!(await db.transaction(write, { mayUseReserve: true })))
          log.warn({ jobId: lease.id }, 'Job was taken over; its result is not ours')
        return
      } catch (err) {
        log.error({ err }, 'Job result not saved, trying again')
        await rest(failures, stopping)
        if (stopping.aborted) return
      }
    }
  }

  return run
}

/** Among several processes a job ends when its lease could not be extended: by then another one may have it. */
function keepLease({ db, fence, log, now }: Pick<Deps, 'db' | 'fence' | 'log' | 'now'>, lease: JobLease, controller: AbortController) {
  let goodUntil = performance.now() + LEASE_MS
  const lose = (cause: LeaseLost) => controller.abort(cause)
  const extend = async () => {
    const askedAt = performance.now()
    const until = new Date(now().getTime() + LEASE_MS)
    const isOurs = await db.transaction(async (tx) => await extendLease(tx, { ...lease, until }))
    if (isOurs) goodUntil = askedAt + LEASE_MS
    else if (fence) lose(new LeaseLost(`job ${lease.id}`))
  }
  const heartbeat = setInterval(() => {
    extend().catch((err: unknown) => log.warn({ jobId: lease.id, err }, 'Lease not extended'))
  }, HEARTBEAT_MS)
  const expiry = setInterval(() => {
    if (fence && performance.now() > goodUntil) lose(new LeaseLost(`job ${lease.id}`))
  }, EXPIRY_LOOK_MS)
  const end = () => {
    clearInterval(heartbeat)
    clearInterval(expiry)
  }
  return { lose, end }
}
