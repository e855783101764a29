import type { DomainRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'

/** Those whose turn it is, the longest waiting first, with what is known of the deployment now. */
export async function listDueStatuses(db: Reader, now: Date, limit: number) {
  return await db
    .selectFrom('commit_status')
    .innerJoin('deployment', 'deployment.id', 'commit_status.deployment_id')
    .innerJoin('app', 'app.id', 'deployment.app_id')
    .innerJoin('project', 'project.id', 'app.project_id')
    .select([
      'commit_status.deployment_id',
      'commit_status.sent',
      'commit_status.failures',
      'commit_status.next_at',
      'deployment.app_id',
      'deployment.status',
      'deployment.commit_hash',
      'deployment.commit_url',
      'project.slug as project_slug',
    ])
    .where('commit_status.next_at', '<=', now.toISOString())
    .orderBy('commit_status.next_at')
    .limit(limit)
    .execute()
}
export type DueStatus = Awaited<ReturnType<typeof listDueStatuses>>[number]

type Settled = { sent: string; failures: number; nextAt: string | null }

/** One that was queued again meanwhile stays queued: there is something newer to tell. */
export async function settleStatus(tx: Tx, due: DueStatus, { sent, failures, nextAt }: Settled): Promise<void> {
  const row = tx.updateTable('commit_status').where('deployment_id', '=', due.deployment_id)
  await row.set({ sent }).execute()
  await row.where('next_at', '=', due.next_at).set({ failures, next_at: nextAt }).execute()
}

export async function listHosts(db: Reader, appId: number): Promise<Pick<DomainRow, 'host' | 'ssl_status' | 'dns_status'>[]> {
  return await db.selectFrom('domain').select(['host', 'ssl_status', 'dns_status']).where('app_id', '=', appId).orderBy('id').execute()
}
