import { sql } from 'kysely'
import { commitLink } from '../../domain/commit-link.ts'
import { personBehind } from '../../domain/person-behind.ts'
import type { DomainRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import { listedPairs } from '../../store/dialect.ts'
import { type Placeholders, statement } from '../../store/statement.ts'

/** Of each person at most so many, and nothing of these people. */
type Wanted = { now: Date; mostOfPerson: number; besides: readonly number[] }

/** Of an app that has no account any more, nobody. */
const person = sql<number>`coalesce(${personBehind}, 0)`

/** Those whose turn it is, of each person the longest waiting ones, with what is known of the deployment now. */
export async function listDueStatuses(db: Reader, { now, mostOfPerson, besides }: Wanted) {
  const due = db
    .selectFrom('commit_status')
    .innerJoin('deployment', 'deployment.id', 'commit_status.deployment_id')
    .innerJoin('app', 'app.id', 'deployment.app_id')
    .innerJoin('project', 'project.id', 'app.project_id')
    .leftJoin('git_account', 'git_account.id', 'app.git_provider_id')
    .select([
      'commit_status.deployment_id',
      'commit_status.sent',
      'commit_status.failures',
      'commit_status.next_at',
      'commit_status.host_deployment',
      'deployment.app_id',
      'deployment.status',
      'deployment.commit_hash',
      commitLink.as('commit_url'),
      'project.slug as project_slug',
      sql<number>`coalesce(app.git_provider_id, 0)`.as('account_id'),
      person.as('person'),
      isOvertaken.as('is_overtaken'),
      sql<number>`row_number() over (partition by ${person} order by commit_status.next_at, deployment.id)`.as('place'),
    ])
    .where('commit_status.next_at', '<=', now.toISOString())
    .where(person, 'not in', besides)
  return await db.selectFrom(due.as('due')).selectAll().where('place', '<=', mostOfPerson).orderBy('next_at').execute()
}
export type DueStatus = Awaited<ReturnType<typeof listDueStatuses>>[number]

/** A newer deployment of the same commit speaks for it. One that was replaced before anybody heard of it says nothing. */
const isOvertaken = sql<number>`exists (
  select 1 from deployment as newer left join commit_status as told on told.deployment_id = newer.id
  where newer.app_id = deployment.app_id and newer.commit_hash = deployment.commit_hash and newer.id > deployment.id
    and (newer.status <> 'stopped' or told.sent <> '')
)`

type Settled = { sent: string; failures: number; nextAt: string | null }

/** One that was queued again in the meantime stays queued, because there is something newer to report. */
export async function settleStatus(tx: Tx, due: DueStatus, { sent, failures, nextAt }: Settled): Promise<void> {
  const row = tx.updateTable('commit_status').where('deployment_id', '=', due.deployment_id)
  await row.set({ sent }).execute()
  await row.where('next_at', '=', due.next_at).set({ failures, next_at: nextAt }).execute()
}

const settleListed = statement((tx: Tx, { list }: Placeholders<{ list: string }>) =>
  tx
    .updateTable('commit_status')
    .set({ failures: 0, next_at: null })
    .where(sql<boolean>`(deployment_id, next_at) in ${listedPairs(tx, list)}`),
)

/** For those with nothing to report. One statement, because a burst of pushes leaves hundreds, and one by one they would hold up requests. */
export async function settleUnsent(tx: Tx, due: readonly DueStatus[]): Promise<void> {
  await settleListed(tx, { list: JSON.stringify(due.map((row) => [row.deployment_id, row.next_at])) })
}

export async function setHostDeployment(tx: Tx, deploymentId: number, id: string): Promise<void> {
  await tx.updateTable('commit_status').set({ host_deployment: id }).where('deployment_id', '=', deploymentId).execute()
}

export async function listHosts(db: Reader, appId: number): Promise<Pick<DomainRow, 'host' | 'ssl_status' | 'dns_status'>[]> {
  return await db.selectFrom('domain').select(['host', 'ssl_status', 'dns_status']).where('app_id', '=', appId).orderBy('id').execute()
}
