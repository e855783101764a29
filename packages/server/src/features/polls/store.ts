import { type Selectable, sql } from 'kysely'
import { typesWhere } from '../../domain/app-kinds.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { SourcePollTable } from '../../store/git-tables.ts'

export type SourcePollRow = Selectable<SourcePollTable>
type Due = { now: Date; firstAfterMs: number; mostOfPerson: number }

/**
 * The apps whose source is checked now: those with the setting on, and if it was never set, those from a repository that no webhook serves.
 * Images are only checked with the setting on, because registries count every request. The first check of an app comes a while after it was
 * created. Of the projects of each person only so many are checked at a time, so that nobody's sources hold up all others.
 */
export async function listDue(db: Reader, { now, firstAfterMs, mostOfPerson }: Due): Promise<AppRow[]> {
  const time = now.toISOString()
  const firstBefore = new Date(now.getTime() - firstAfterMs).toISOString()
  const hasWebhook = sql<boolean>`coalesce(git_account.via = 'app' or (git_hook.hook_id <> '' and git_hook.error = ''), false)`
  const due = db
    .selectFrom('app')
    .innerJoin('project', 'project.id', 'app.project_id')
    .leftJoin('source_poll', 'source_poll.app_id', 'app.id')
    .leftJoin('git_account', 'git_account.id', 'app.git_provider_id')
    .leftJoin('git_hook', (join) =>
      join.onRef('git_hook.account_id', '=', 'app.git_provider_id').onRef('git_hook.repository_id', '=', 'app.git_repository_id'),
    )
    .select([
      'app.id',
      sql<number>`row_number() over (partition by project.owner_id order by source_poll.next_at nulls first, app.id)`.as('place'),
    ])
    .where((eb) => eb.or([eb('app.git_clone_url', '!=', ''), eb('app.image', '!=', '')]))
    .where('app.auto_deploy', '=', 1)
    .where('app.wanted', '=', 'running')
    .where(
      'app.app_type',
      'in',
      typesWhere(({ madeFrom }) => madeFrom !== 'template'),
    )
    .where((eb) =>
      eb.or([eb('app.poll_source', '=', 1), eb.and([eb('app.poll_source', 'is', null), eb('app.image', '=', ''), eb.not(hasWebhook)])]),
    )
    .where((eb) =>
      eb.or([
        eb('source_poll.next_at', '<=', time),
        eb.and([eb('source_poll.next_at', 'is', null), eb('app.created_at', '<=', firstBefore)]),
      ]),
    )
  const chosen = db.selectFrom(due.as('due')).select('id').where('place', '<=', mostOfPerson)
  return await db.selectFrom('app').selectAll().where('id', 'in', chosen).execute()
}

export async function findPoll(db: Reader, appId: number): Promise<SourcePollRow | undefined> {
  return await db.selectFrom('source_poll').selectAll().where('app_id', '=', appId).executeTakeFirst()
}

export async function savePoll(tx: Tx, poll: SourcePollRow): Promise<void> {
  await tx
    .insertInto('source_poll')
    .values(poll)
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet(poll))
    .execute()
}

export async function hasDeployments(db: Reader, appId: number): Promise<boolean> {
  return (await db.selectFrom('deployment').select('id').where('app_id', '=', appId).limit(1).executeTakeFirst()) !== undefined
}

/**
 * Whether the commit was deployed, whatever came of it, or is about to be, or was judged when a webhook told that the branch is at it. What
 * was said about another branch does not count.
 */
export async function isKnownCommit(db: Reader, appId: number, { hash, branch }: { hash: string; branch: string }): Promise<boolean> {
  const deployed = await db
    .selectFrom('deployment')
    .select('id')
    .where('app_id', '=', appId)
    .where((eb) => eb.or([eb('commit_hash', '=', hash), eb.and([eb('commit_hash', '=', ''), eb('finished_at', 'is', null)])]))
    .limit(1)
    .executeTakeFirst()
  if (deployed) return true
  const told = await db
    .selectFrom('git_delivery_app')
    .innerJoin('git_delivery', 'git_delivery.id', 'git_delivery_app.delivery_id')
    .select('git_delivery.id')
    .where('git_delivery_app.app_id', '=', appId)
    .where('git_delivery.commit_hash', '=', hash)
    .where('git_delivery.branch', '=', branch)
    .limit(1)
    .executeTakeFirst()
  return told !== undefined
}

type KnownImage = { appId: number; digest: string /** Any earlier deployment of it, or only the last one. */; everCounts: boolean }

/** Whether an image with this digest was deployed, whatever came of it, or is about to be. */
export async function isKnownImage(db: Reader, { appId, digest, everCounts }: KnownImage): Promise<boolean> {
  const found = db
    .selectFrom('deployment')
    .select(['image_ref', 'finished_at'])
    .where('app_id', '=', appId)
    .orderBy('id', 'desc')
    .limit(everCounts ? 1000 : 1)
  return (await found.execute()).some(
    ({ image_ref, finished_at }) => image_ref.endsWith(`@${digest}`) || (image_ref === '' && finished_at === null),
  )
}
