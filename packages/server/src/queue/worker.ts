import type { Nudge } from '../events/nudge.ts'
import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'
import { backoffMs } from './backoff.ts'
import type { JobHandlers, JobName, JobPayloads } from './jobs.ts'
import { claimJob, extendLease, type JobRow, oldestWaitingJob, postponeJob, releaseLeases, settleJob } from './queue-store.ts'

const LEASE_MS = 30_000
const HEARTBEAT_MS = 10_000
const LOOK_AGAIN_MS = 1000
const STALLED_AFTER_MS = 120_000

/** Why a running job is told to stop. A cancelled job is done; one that stops with the process comes back. */
export class JobCancelled extends Error {
  override readonly name = 'JobCancelled'
}
class WorkerStopping extends Error {
  override readonly name = 'WorkerStopping'
}

type Deps = { db: Db; nudge: Nudge; handlers: JobHandlers; workerId: string; slots: () => Promise<number>; log: Logger; now: () => Date }
type Running = { job: JobRow; controller: AbortController; done: Promise<void> }

/** Claims jobs while there are free slots, and keeps their leases alive while they run. */
export function createWorker(deps: Deps) {
  const { db, nudge, handlers, workerId: worker, log, now } = deps
  const stopping = new AbortController()
  const running = new Map<number, Running>()
  let loop: Promise<void> = Promise.resolve()

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
        log.warn({ jobId: job.id, err }, 'lease was not extended'),
      )
    }, HEARTBEAT_MS)
    try {
      await runHandler(job, controller.signal)
      await settle(job)
    } catch (err) {
      if (stopping.signal.aborted) return await giveBack(job)
      if (controller.signal.reason instanceof JobCancelled) return await settle(job)
      log.error({ jobId: job.id, job: job.name, attempts: job.attempts, err }, 'job failed, and is tried again')
      await retrySaving(
        async () =>
          await db.transaction(async (tx) => await postponeJob(tx, { id: job.id, worker, until: later(backoffMs(job.attempts)) })),
      )
    } finally {
      clearInterval(heartbeat)
    }
  }

  async function settle(job: JobRow): Promise<void> {
    await retrySaving(async () => await db.transaction(async (tx) => await settleJob(tx, { id: job.id, worker })))
  }

  async function giveBack(job: JobRow): Promise<void> {
    await db.transaction(async (tx) => await postponeJob(tx, { id: job.id, worker, until: now() }))
  }

  /** A full disk must not lose the outcome of a job: it is written when there is room again. */
  async function retrySaving(save: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await save()
      } catch (err) {
        log.error({ err }, 'the end of a job was not saved, and is tried again')
        await pause(LOOK_AGAIN_MS)
        if (stopping.signal.aborted) return
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    await nudge.changedSince(nudge.count(), AbortSignal.any([stopping.signal, AbortSignal.timeout(ms)]))
  }

  async function claimNext(): Promise<boolean> {
    if (running.size >= (await deps.slots())) return false
    const job = await db.transaction(async (tx) => await claimJob(tx, { worker, at: now(), leaseUntil: later(LEASE_MS) }))
    if (!job) return false
    const controller = new AbortController()
    const done = run(job, controller)
      .catch((err: unknown) => log.error({ jobId: job.id, err }, 'job could not be ended'))
      .finally(() => {
        running.delete(job.id)
        nudge.nudge()
      })
    running.set(job.id, { job, controller, done })
    return true
  }

  async function claimAll(): Promise<void> {
    while (await claimNext());
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const seen = nudge.count()
      try {
        if (await hasWork()) await claimAll()
      } catch (err) {
        log.error({ err }, 'no job could be claimed')
        await pause(LOOK_AGAIN_MS)
      }
      await nudge.changedSince(seen, AbortSignal.any([stopping.signal, AbortSignal.timeout(LOOK_AGAIN_MS)]))
    }
  }

  /** Looking is a read; claiming is a write, and an idle server writes nothing. */
  async function hasWork(): Promise<boolean> {
    return (await oldestWaitingJob(db, later(1))) !== undefined
  }

  async function start(): Promise<void> {
    await db.transaction(releaseLeases)
    loop = work()
  }

  /** Ends the running work of a lane for good, or only that for one deployment. A removal is never ended: nobody else would do it. */
  function cancelLane(lane: string, deploymentId?: number): void {
    for (const { job, controller } of running.values()) {
      if (job.lane !== lane || job.name === ('app.remove' satisfies JobName)) continue
      const { deploymentId: its } = JSON.parse(job.payload) as { deploymentId?: number } // as in runHandler
      if (deploymentId === undefined || its === deploymentId) controller.abort(new JobCancelled(`work on ${lane} was cancelled`))
    }
  }

  async function stop(): Promise<void> {
    stopping.abort()
    for (const { controller } of running.values()) controller.abort(new WorkerStopping('Berth is stopping'))
    await Promise.all([loop, ...[...running.values()].map((entry) => entry.done)])
  }

  async function isStalled(): Promise<boolean> {
    const waiting = await oldestWaitingJob(db, new Date(now().getTime() - STALLED_AFTER_MS))
    return (
      waiting !== undefined && running.size < (await deps.slots()) && ![...running.values()].some(({ job }) => job.lane === waiting.lane)
    )
  }

  return { start, stop, cancelLane, isStalled, isRunning: (lane: string) => [...running.values()].some(({ job }) => job.lane === lane) }
}

export type Worker = ReturnType<typeof createWorker>
