import type { DeploymentRow } from '../../domain/rows.ts'
import type { Tx } from '../../store/database.ts'

/** That the host of the commit has to be told how the deployment goes. What is told is what is true when its turn comes. */
export async function queueCommitStatus(tx: Tx, { id, commit_hash, commit_url }: DeploymentRow, at: Date): Promise<void> {
  if (commit_hash === '' || commit_url === '') return // nobody is known who could be told
  const due = { failures: 0, next_at: at.toISOString() }
  await tx
    .insertInto('commit_status')
    .values({ deployment_id: id, sent: '', ...due })
    .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet(due))
    .execute()
}
