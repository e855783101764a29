import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../store/database.ts'
import type { JobTable } from '../store/schema.ts'

export type JobRow = Selectable<JobTable>

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

/**
 * The oldest job that is due, free, and first in its lane. The lapsed lease of another worker is free again; one's own is not: the clock
 * was set, and the job still runs.
 */
export async function claimJob(tx: Tx, claim: { worker: string; at: Date; leaseUntil: Date }): Promise<JobRow | undefined> {
  const time = claim.at.toISOString()
  const due = await tx
    .selectFrom('job')
    .selectAll()
    .where('run_at', '<=', time)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb.and([eb('lease_until', '<', time), eb('worker', '!=', claim.worker)])]))
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
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
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
