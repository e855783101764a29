import type { DeploymentRow } from '../../domain/rows.ts'
import type { Tx } from '../../store/database.ts'

/** Queues a report of the deployment's status to the host of its commit. What is sent is the status at the time of sending. */
export async function queueCommitStatus(tx: Tx, { id, commit_hash, commit_url }: DeploymentRow, at: Date): Promise<void> {
  if (commit_hash === '' || commit_url === '') return // the host is unknown
  const due = { failures: 0, next_at: at.toISOString() }
  await tx
    .insertInto('commit_status')
    .values({ deployment_id: id, sent: '', ...due })
    .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet(due))
    .execute()
}
