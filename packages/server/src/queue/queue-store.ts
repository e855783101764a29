import { type ExpressionBuilder, type Insertable, type Selectable, sql } from 'kysely'
import type { JobName } from '../domain/job-names.ts'
import type { Reader, Tx } from '../store/database.ts'
import { jsonNumber } from '../store/dialect.ts'
import type { JobTable, Schema } from '../store/schema.ts'
import { type Placeholders, statement } from '../store/statement.ts'

export type JobRow = Selectable<JobTable>

const REMOVAL = 'app.remove' satisfies JobName
/** A job that was interrupted this often may be what crashes the process. */
const SUSPECT_AFTER = 2
const SHORT = [REMOVAL, 'app.restore', 'volume.remove'] as const satisfies JobName[]

const insertRow = statement((tx: Tx, row: Placeholders<Insertable<JobTable>>) => tx.insertInto('job').values(row))

/** Called in the transaction of the change that needs the work, so that both are stored or neither. */
export async function insertJob(tx: Tx, job: { name: string; payload: unknown; lane: string; tenant: string; at: Date }): Promise<void> {
  const time = job.at.toISOString()
  await insertRow(tx, {
    name: job.name,
    payload: JSON.stringify(job.payload),
    lane: job.lane,
    tenant: job.tenant,
    run_at: time,
    attempts: 0,
    lease_until: null,
    worker: null,
    created_at: time,
  })
}

/** Whether such a job of the lane, with the same payload, has not started yet. */
export async function isWaiting(tx: Tx, { name, lane, payload }: { name: JobName; lane: string; payload: unknown }): Promise<boolean> {
  const waiting = tx.selectFrom('job').select('id').where('lane', '=', lane).where('name', '=', name).where('lease_until', 'is', null)
  return (await waiting.where('payload', '=', JSON.stringify(payload)).executeTakeFirst()) !== undefined
}

/** How many jobs of this name there are for these tenants together, waiting or running. */
export async function countJobs(db: Reader, { name, tenants }: { name: JobName; tenants: readonly string[] }): Promise<number> {
  const all = db.selectFrom('job').where('name', '=', name).where('tenant', 'in', tenants)
  return (await all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count
}

const deleteWaiting = statement((tx: Tx, { lane, deploymentId }: Placeholders<{ lane: string; deploymentId: number }>) =>
  tx
    .deleteFrom('job')
    .where('lane', '=', lane)
    .where('name', '=', 'deployment.run' satisfies JobName)
    .where('lease_until', 'is', null)
    .where(jsonNumber(tx, 'payload', 'deploymentId'), '=', deploymentId),
)

/** The job of a deployment that has not started and is no longer wanted. */
export async function deleteWaitingRun(tx: Tx, { lane, deploymentId }: { lane: string; deploymentId: number }): Promise<void> {
  await deleteWaiting(tx, { lane, deploymentId })
}

/** Which worker asks, when, and how many jobs of each kind may run at once. Without `onlyShort` all jobs are considered. */
type Asking = { worker: string; at: Date; slots: number; onlyShort?: boolean }
type Kind = 'short' | 'long'
type Asked = Placeholders<{ worker: string; time: string }>

/** An expired lease of another worker is free. Our own is not: the clock was changed, and the job is still running. */
function isHeld(eb: ExpressionBuilder<Schema & { held: JobTable }, 'held'>, { worker, time }: Asked) {
  return eb.and([eb('held.lease_until', 'is not', null), eb.or([eb('held.lease_until', '>=', time), eb('held.worker', '=', worker)])])
}

function runningOf(db: Reader, kind: Kind, asked: Asked) {
  return db
    .selectFrom('job as held')
    .where('held.name', kind === 'short' ? 'in' : 'not in', SHORT)
    .where((eb) => isHeld(eb, asked))
}

/** How many jobs of a kind are running. */
function countRunning(db: Reader, kind: Kind, asked: Asked) {
  return runningOf(db, kind, asked).select((eb) => eb.fn.countAll<number>().as('count'))
}

/** Due, unleased, and first in its lane. With `isForOthers`, only of people with no running job. */
function findDue(db: Reader, asked: Asked, { kind, isForOthers }: { kind: Kind; isForOthers: boolean }) {
  const { worker, time } = asked
  const running = countRunning(db, kind, asked)
  // Those of others first, and from a list that is made once: while all slots are taken, which may be long, this is asked after every commit.
  let query = db
    .selectFrom('job')
    .selectAll()
    .$if(isForOthers, (jobs) => jobs.where('tenant', 'not in', runningOf(db, kind, asked).select('held.tenant')))
    .where('run_at', '<=', time)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb.and([eb('lease_until', '<', time), eb('worker', '!=', worker)])]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('job as earlier')
            .select('earlier.id')
            .whereRef('earlier.lane', '=', 'job.lane')
            .whereRef('earlier.id', '<', 'job.id'),
        ),
      ),
    )
  if (kind === 'short')
    query = query.where((eb) =>
      eb.or([
        eb('name', 'in', SHORT),
        // jobs ahead of a removal finish as soon as they see that the app was deleted
        eb('lane', 'in', eb.selectFrom('job as removal').select('removal.lane').where('removal.name', '=', REMOVAL)),
      ]),
    )
  else {
    const suspect = running.where('held.attempts', '>', SUSPECT_AFTER)
    query = query.where('name', 'not in', SHORT).where((eb) => eb.or([eb('attempts', '<', SUSPECT_AFTER), eb(suspect, '=', 0)]))
  }
  if (!isForOthers) query = query.orderBy(running.where('held.tenant', '=', sql.ref<string>('job.tenant')))
  return query
    .orderBy((eb) => eb.case().when('attempts', '>', SUSPECT_AFTER).then(eb.ref('attempts')).else(SUSPECT_AFTER).end())
    .orderBy('id')
    .limit(1)
}

/** Built once each: they are asked after every commit. */
function statementsOf(kind: Kind) {
  return {
    count: statement((db: Reader, asked: Asked) => countRunning(db, kind, asked)),
    next: statement((db: Reader, asked: Asked) => findDue(db, asked, { kind, isForOthers: false })),
    nextOfOthers: statement((db: Reader, asked: Asked) => findDue(db, asked, { kind, isForOthers: true })),
  }
}
const STATEMENTS = { short: statementsOf('short'), long: statementsOf('long') }

/**
 * The next job that may run: due, unleased, first in its lane, and with a free slot. Short and long jobs have separate slots, so that
 * removals and restores never wait for builds. On a full disk only short jobs run, because they free space or need almost none; and while an
 * update waits for running deployments.
 */
export async function findDueJob(db: Reader, asking: Asking): Promise<JobRow | undefined> {
  const short = await findDueOfKind(db, 'short', asking)
  return short ?? (asking.onlyShort ? undefined : await findDueOfKind(db, 'long', asking))
}

/**
 * The oldest job of the person with the fewest running jobs. When all slots are taken there is one extra, for somebody with no running
 * job: running jobs cannot be paused, so one person may take all slots, and others must not wait for that. Long jobs that were
 * interrupted twice run one at a time, and those interrupted most often come last, so that a job that crashes the process does not take
 * others with it.
 */
async function findDueOfKind(db: Reader, kind: Kind, { worker, at, slots }: Asking): Promise<JobRow | undefined> {
  const asked = { worker, time: at.toISOString() }
  const { count, next, nextOfOthers } = STATEMENTS[kind]
  const running = (await count(db, asked))[0]?.count ?? 0
  if (running > slots) return undefined
  return (await (running === slots ? nextOfOthers : next)(db, asked))[0]
}

export async function claimJob(tx: Tx, claim: Asking & { leaseUntil: Date }): Promise<JobRow | undefined> {
  const due = await findDueJob(tx, claim)
  if (!due) return undefined
  return await tx
    .updateTable('job')
    .set({ lease_until: claim.leaseUntil.toISOString(), worker: claim.worker, attempts: due.attempts + 1, fence: due.fence + 1 })
    .where('id', '=', due.id)
    .returningAll()
    .executeTakeFirst()
}

/** One claim of a job. The next one, of whichever worker, has a higher fence. */
export type JobLease = { readonly id: number; readonly worker: string; readonly fence: number }

/** These return whether the job was still held by this claim; otherwise nothing is changed. */
export async function extendLease(tx: Tx, { until, ...lease }: JobLease & { until: Date }): Promise<boolean> {
  const ours = tx.updateTable('job').set({ lease_until: until.toISOString() }).where('id', '=', lease.id)
  const { numUpdatedRows } = await ours.where('worker', '=', lease.worker).where('fence', '=', lease.fence).executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function settleJob(tx: Tx, lease: JobLease): Promise<boolean> {
  const ours = tx.deleteFrom('job').where('id', '=', lease.id).where('worker', '=', lease.worker).where('fence', '=', lease.fence)
  return (await ours.executeTakeFirst()).numDeletedRows > 0n
}

export async function postponeJob(tx: Tx, { until, ...lease }: JobLease & { until: Date }): Promise<boolean> {
  const free = { run_at: until.toISOString(), lease_until: null, worker: null }
  const ours = tx.updateTable('job').set(free).where('id', '=', lease.id).where('worker', '=', lease.worker)
  return (await ours.where('fence', '=', lease.fence).executeTakeFirst()).numUpdatedRows > 0n
}

export async function isHeldBy(db: Reader, { id, worker, fence }: JobLease): Promise<boolean> {
  const held = db.selectFrom('job').select('id').where('id', '=', id).where('worker', '=', worker).where('fence', '=', fence)
  return (await held.executeTakeFirst()) !== undefined
}

export async function hasLeases(db: Reader, { onlyLong = false } = {}): Promise<boolean> {
  let query = db.selectFrom('job').select('id').where('lease_until', 'is not', null)
  if (onlyLong) query = query.where('name', 'not in', SHORT)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/**
 * Called at a start: the previous holders of these leases have exited. The only process on a database releases all of them; a node only
 * those of earlier runs with its name, whose workers begin with `prefix`.
 */
export async function releaseLeases(tx: Tx, { prefix }: { prefix?: string | undefined } = {}): Promise<void> {
  let held = tx.updateTable('job').set({ lease_until: null, worker: null })
  if (prefix !== undefined) held = held.where('worker', 'like', `${prefix}%`)
  await held.execute()
}

/** Leases of a worker on jobs that it does not run: the database has made the claim, but its answer was lost. */
export async function releaseUnknown(tx: Tx, { worker, running }: { worker: string; running: readonly number[] }): Promise<void> {
  await tx.updateTable('job').set({ lease_until: null, worker: null }).where('worker', '=', worker).where('id', 'not in', running).execute()
}

export async function lanesInQueue(db: Reader): Promise<string[]> {
  return (await db.selectFrom('job').select('lane').distinct().execute()).map((row) => row.lane)
}
