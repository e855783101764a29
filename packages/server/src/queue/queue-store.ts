import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../store/database.ts'
import type { JobTable } from '../store/schema.ts'
import type { JobName } from './jobs.ts'

export type JobRow = Selectable<JobTable>

const [REMOVAL, RESTORE] = ['app.remove', 'app.restore'] as const satisfies JobName[]

/** Called inside the transaction of the change that needs the work: either both are there or neither is. */
export async function insertJob(tx: Tx, job: { name: string; payload: unknown; lane: string; at: Date }): Promise<void> {
  const time = job.at.toISOString()
  await tx
    .insertInto('job')
    .values({
      name: job.name,
      payload: JSON.stringify(job.payload),
      lane: job.lane,
      run_at: time,
      attempts: 0,
      lease_until: null,
      worker: null,
      created_at: time,
    })
    .execute()
}

/** Who asks for work, and when. Without `onFullDisk` every job is meant. */
type Asking = { worker: string; at: Date; onFullDisk?: boolean }

/**
 * The oldest job that is due, free, and first in its lane. The lapsed lease of another worker is free again; one's own is not: the clock
 * was set, and the job still runs. On a full disk only removals are due, with what stands before them in their lane, because they free it;
 * and restores, because they need next to nothing and an app is down without.
 */
export async function findDueJob(db: Reader, asking: Asking): Promise<JobRow | undefined> {
  const time = asking.at.toISOString()
  let query = db
    .selectFrom('job')
    .selectAll()
    .where('run_at', '<=', time)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb.and([eb('lease_until', '<', time), eb('worker', '!=', asking.worker)])]))
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
  if (asking.onFullDisk)
    query = query.where((eb) =>
      eb.or([
        eb('name', '=', RESTORE),
        eb('lane', 'in', eb.selectFrom('job as removal').select('removal.lane').where('removal.name', '=', REMOVAL)),
      ]),
    )
  return await query.orderBy('id').limit(1).executeTakeFirst()
}

export async function claimJob(tx: Tx, claim: Asking & { leaseUntil: Date }): Promise<JobRow | undefined> {
  const due = await findDueJob(tx, claim)
  if (!due) return undefined
  return await tx
    .updateTable('job')
    .set({ lease_until: claim.leaseUntil.toISOString(), worker: claim.worker, attempts: due.attempts + 1 })
    .where('id', '=', due.id)
    .returningAll()
    .executeTakeFirst()
}

export async function extendLease(tx: Tx, lease: { id: number; worker: string; until: Date }): Promise<void> {
  await tx
    .updateTable('job')
    .set({ lease_until: lease.until.toISOString() })
    .where('id', '=', lease.id)
    .where('worker', '=', lease.worker)
    .execute()
}

export async function settleJob(tx: Tx, job: { id: number; worker: string }): Promise<void> {
  await tx.deleteFrom('job').where('id', '=', job.id).where('worker', '=', job.worker).execute()
}

export async function postponeJob(tx: Tx, job: { id: number; worker: string; until: Date }): Promise<void> {
  await tx
    .updateTable('job')
    .set({ run_at: job.until.toISOString(), lease_until: null, worker: null })
    .where('id', '=', job.id)
    .where('worker', '=', job.worker)
    .execute()
}

export async function hasLeases(db: Reader): Promise<boolean> {
  return (await db.selectFrom('job').select('id').where('lease_until', 'is not', null).limit(1).executeTakeFirst()) !== undefined
}

/** At the start of the only process on this data directory: whoever held these leases is gone. */
export async function releaseLeases(tx: Tx): Promise<void> {
  await tx.updateTable('job').set({ lease_until: null, worker: null }).execute()
}

export async function oldestWaitingJob(db: Reader, at: Date): Promise<JobRow | undefined> {
  return await db
    .selectFrom('job')
    .selectAll()
    .where('lease_until', 'is', null)
    .where('run_at', '<', at.toISOString())
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export async function lanesInQueue(db: Reader): Promise<string[]> {
  return (await db.selectFrom('job').select('lane').distinct().execute()).map((row) => row.lane)
}
