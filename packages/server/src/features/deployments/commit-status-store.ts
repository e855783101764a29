import { sql } from 'kysely'
import type { DeploymentRow } from '../../domain/rows.ts'
import type { Tx } from '../../store/database.ts'
import { type Placeholders, statement } from '../../store/statement.ts'

const queue = statement((tx: Tx, { id, at }: Placeholders<{ id: number; at: string }>) =>
  tx
    .insertInto('commit_status')
    .values({ deployment_id: id, sent: '', failures: 0, next_at: at })
    .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet({ failures: 0, next_at: sql`excluded.next_at` })),
)

/** Queues a report of the deployment's status to the host of its commit. What is sent is the status at the time of sending. */
export async function queueCommitStatus(tx: Tx, { id, commit_hash, commit_url }: DeploymentRow, at: Date): Promise<void> {
  if (commit_hash === '' || commit_url === '') return // the host is unknown
  await queue(tx, { id, at: at.toISOString() })
}
