import type { JobHandlers, JobName, JobPayloads } from '../domain/job-names.ts'
import type { Logger } from '../lib/logger.ts'
import { backoffMs } from '../lib/retry.ts'
import type { Db, Tx } from '../store/database.ts'
import { extendLease, type JobRow, postponeJob, settleJob } from './queue-store.ts'

export const LEASE_MS = 30_000
const HEARTBEAT_MS = 10_000
const RETRY = { firstMs: 1000, longestMs: 60_000 }

/** Why a running job must stop. A cancelled job is finished; one interrupted by a shutdown runs again. */
export class JobCancelled extends Error {
  override readonly name = 'JobCancelled'
}

type Deps = {
  db: Db
  handlers: JobHandlers
  workerId: string
  /** Aborted when the process stops. */
  stopping: AbortSignal
  /** Waits before the next try after the n-th failure in a row. */
  rest: (failures: number) => Promise<void>
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
    const heartbeat = setInterval(() => {
      db.transaction(async (tx) => await extendLease(tx, { id: job.id, worker, until: later(LEASE_MS) })).catch((err: unknown) =>
        log.warn({ jobId: job.id, err }, 'Lease not extended'),
      )
    }, HEARTBEAT_MS)
    try {
      await runHandler(job, controller.signal)
      await settle(job)
    } catch (err) {
      if (stopping.aborted) return await giveBack(job)
      if (controller.signal.reason instanceof JobCancelled) return await settle(job)
      log.error({ jobId: job.id, job: job.name, attempts: job.attempts, err }, 'Job failed, trying again')
      await save(async (tx) => await postponeJob(tx, { id: job.id, worker, until: later(backoffMs(job.attempts, RETRY)) }))
    } finally {
      clearInterval(heartbeat)
    }
  }

  async function settle(job: JobRow): Promise<void> {
    await save(async (tx) => await settleJob(tx, { id: job.id, worker }))
  }

  async function giveBack(job: JobRow): Promise<void> {
    await db.transaction(async (tx) => await postponeJob(tx, { id: job.id, worker, until: now() }), { mayUseReserve: true })
  }

  /**
   * The result of a job is never lost: the job keeps its slot until the result is written. On a full disk too, or nothing could be
   * removed there.
   */
  async function save(write: (tx: Tx) => Promise<void>): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await db.transaction(write, { mayUseReserve: true })
      } catch (err) {
        log.error({ err }, 'Job result not saved, trying again')
        await deps.rest(failures)
        if (stopping.aborted) return
      }
    }
  }

  return run
}
