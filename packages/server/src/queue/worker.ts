import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHandlers, JobName } from '../domain/job-names.ts'
import type { Nudge } from '../events/nudge.ts'
import type { Logger } from '../lib/logger.ts'
import type { Fence } from '../nodes/fence.ts'
import type { Db } from '../store/database.ts'
import { DatabaseLost } from '../store/database-lost.ts'
import { createJobRunner, JobCancelled, LEASE_MS, rest } from './job-runner.ts'
import { claimJob, findDueJob, hasLeases, type JobRow, releaseLeases, releaseUnknown } from './queue-store.ts'

const REMOVALS = ['app.remove', 'volume.remove'] as const satisfies JobName[]
const LOOK_AGAIN_MS = 1000
/** Every commit could mean a new job, and a hundred webhooks a second must not mean that the queue is read a hundred times a second. */
const LOOKS_APART_MS = 25
const STALLED_AFTER_MS = 120_000
const STALLED_KNOWN_MS = 2000

class WorkerStopping extends Error {
  override readonly name = 'WorkerStopping'
}

type Deps = {
  db: Db
  nudge: Nudge
  handlers: JobHandlers
  workerId: string
  slots: () => Promise<number>
  /** While the disk is full no deployment is started, because none could succeed. */
  isDiskFull: () => Promise<boolean>
  log: Logger
  /** By the clock that leases are measured by. */
  now: () => Date
  /** If this is one of several processes on the database. */
  node?: { leasePrefix: string; fence: Fence; unwanted: Unwanted } | undefined
}
/** Which of these jobs should not run any more: their deployment was cancelled, or their app deleted, perhaps by another process. */
export type Unwanted = (jobs: readonly JobRow[]) => Promise<readonly number[]>
/** Which jobs are not claimed for now: short ones are removals and restores. */
type Held = 'none' | 'long' | 'all'
type Claim = () => Promise<JobRow | undefined>
type Running = { job: JobRow; controller: AbortController; done: Promise<void>; wasWanted: boolean }

/** Claims jobs while there are free slots, and keeps their leases alive while they run. */
export function createWorker(deps: Deps) {
  const { db, nudge, log } = deps
  const stopping = new AbortController()
  const running = new Map<number, Running>()
  let loop: Promise<void> = Promise.resolve()
  const { hold, held } = createHold(nudge)
  const { cancelLane, cancelUnwanted } = createCancel(running, deps.node?.unwanted)
  const claimNext = createSureClaim(deps, createClaim(deps, held), () => [...running.keys()])
  const runJob = createJobRunner({ ...deps, fence: deps.node?.fence, stopping: stopping.signal })

  async function pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)
  }

  function begin(job: JobRow, wasWanted: boolean): void {
    const controller = new AbortController()
    const done = runJob(job, controller)
      .catch((err: unknown) => log.error({ jobId: job.id, err }, 'Job not ended'))
      .finally(() => {
        if (running.get(job.id)?.controller === controller) running.delete(job.id) // it may have been given back and claimed again
        nudge.nudge()
      })
    running.set(job.id, { job, controller, done, wasWanted })
  }

  /** One that is claimed while we stop does not begin, because nobody would end it. The next start releases its lease. */
  async function beginDue(): Promise<void> {
    for (let job = await claimNext(); job; job = await claimNext()) {
      const wasWanted = await isWanted(job, deps.node?.unwanted)
      if (stopping.signal.aborted) return
      begin(job, wasWanted)
    }
  }

  async function work(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      const seen = nudge.count()
      const mayLookAgainAt = performance.now() + LOOKS_APART_MS
      try {
        await cancelUnwanted()
        await beginDue()
        failures = 0
        await nudge.changedSince(seen, AbortSignal.any([stopping.signal, AbortSignal.timeout(LOOK_AGAIN_MS)]))
        await pause(mayLookAgainAt - performance.now())
      } catch (err) {
        failures += 1
        log.error({ err }, 'No job claimed')
        await rest(failures, stopping.signal)
      }
    }
  }

  async function start(): Promise<void> {
    const own = { prefix: deps.node?.leasePrefix }
    if (await hasLeases(db)) await db.transaction(async (tx) => await releaseLeases(tx, own), { mayUseReserve: true })
    loop = work()
  }

  async function stop(): Promise<void> {
    stopping.abort()
    for (const { controller } of running.values()) controller.abort(new WorkerStopping('Berth is stopping'))
    await Promise.all([loop, ...[...running.values()].map((entry) => entry.done)])
  }

  const busyWith = () => [...running.values()].map(({ job }) => `${job.name} ${job.payload}`)
  return { start, stop, hold, cancelLane, isStalled: createIsStalled(deps, held), ending: { end: stop, busyWith } }
}

/** One that cannot be asked about begins like any other: it is ours already. */
async function isWanted(job: JobRow, unwanted: Unwanted | undefined): Promise<boolean> {
  return unwanted === undefined || (await unwanted([job]).catch(() => [])).length === 0
}

function createCancel(running: ReadonlyMap<number, Running>, unwanted: Unwanted | undefined) {
  const isRemoval = ({ name }: JobRow) => REMOVALS.some((removal) => removal === name)

  /**
   * Cancels the running jobs of a lane for good, or only those of one deployment. A removal is never cancelled: nothing else would finish
   * it.
   */
  function cancelLane(lane: string, deploymentId?: number): void {
    for (const { job, controller } of running.values()) {
      if (job.lane !== lane || isRemoval(job)) continue
      const { deploymentId: its } = JSON.parse(job.payload) as { deploymentId?: number } // as in job-runner.ts: a payload is written by `enqueue` alone
      if (deploymentId === undefined || its === deploymentId) controller.abort(new JobCancelled(`work on ${lane} was cancelled`))
    }
  }

  /** What another process has cancelled. A job that begins after that cleans up, and goes on. */
  async function cancelUnwanted(): Promise<void> {
    const wanted = [...running.values()].filter(({ wasWanted, controller }) => wasWanted && !controller.signal.aborted)
    const mayEnd = wanted.map(({ job }) => job).filter((job) => !isRemoval(job))
    if (!unwanted || mayEnd.length === 0) return
    for (const id of await unwanted(mayEnd)) running.get(id)?.controller.abort(new JobCancelled('the work was cancelled'))
  }

  return { cancelLane, cancelUnwanted }
}

/** Whether a job has been due for a while without being claimed. Anybody may ask for the health, so what was found is kept for a moment. */
function createIsStalled({ db, workerId: worker, slots, now }: Deps, held: () => Held): () => Promise<boolean> {
  let last: { at: number; found: Promise<boolean> } | undefined

  async function look(): Promise<boolean> {
    const at = new Date(now().getTime() - STALLED_AFTER_MS)
    return (await findDueJob(db, { worker, at, slots: await slots() })) !== undefined
  }

  return async () => {
    if (held() !== 'none') return false
    if (last === undefined || performance.now() - last.at > STALLED_KNOWN_MS) last = { at: performance.now(), found: look() }
    return await last.found
  }
}

/** Running jobs go on. */
function createHold(nudge: Nudge) {
  let held: Held = 'none'
  return {
    held: () => held,
    hold: (kind: Held): void => {
      held = kind
      nudge.nudge()
    },
  }
}

/** Reads first, so that an idle server writes nothing. */
function createClaim({ db, workerId: worker, slots, isDiskFull, now }: Deps, held: () => Held): Claim {
  return async () => {
    const [most, onFullDisk] = await Promise.all([slots(), isDiskFull()])
    if (held() === 'all') return undefined
    const asking = { worker, slots: most, onlyShort: onFullDisk || held() === 'long' }
    if (!(await findDueJob(db, { ...asking, at: now() }))) return undefined
    const at = now()
    const leaseUntil = new Date(at.getTime() + LEASE_MS)
    return await db.transaction(async (tx) => await claimJob(tx, { ...asking, at, leaseUntil }), { mayUseReserve: onFullDisk })
  }
}

/** If the answer to a claim was lost, a job may be ours that we do not know of. It is released before the next claim. */
function createSureClaim({ db, workerId: worker }: Deps, claim: Claim, running: () => readonly number[]): Claim {
  let isUnsure = false
  return async () => {
    if (isUnsure) await db.transaction(async (tx) => await releaseUnknown(tx, { worker, running: running() }))
    isUnsure = false
    try {
      return await claim()
    } catch (cause) {
      isUnsure = cause instanceof DatabaseLost
      throw cause
    }
  }
}

export type Worker = ReturnType<typeof createWorker>
