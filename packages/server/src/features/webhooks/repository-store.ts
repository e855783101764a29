import type { AppRow, GitAccountRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import { type Placeholders, statement } from '../../store/statement.ts'

/** A repository at the host of an account, by the id that it keeps when it is renamed. */
export type Repository = { accountId: number; repositoryId: string }

function appsOf(db: Reader, { accountId, repositoryId }: Placeholders<Repository>) {
  return db.selectFrom('app').where('git_provider_id', '=', accountId).where('git_repository_id', '=', repositoryId)
}
const findApps = statement((db: Reader, { after, most, ...of }: Placeholders<Repository & { after: number; most: number }>) =>
  appsOf(db, of).selectAll().where('id', '>', after).orderBy('id').limit(most),
)

/** The next apps that deploy from a repository with its account. */
export async function appsOfRepository(db: Reader, of: Repository, { after, most }: { after: number; most: number }): Promise<AppRow[]> {
  return await findApps(db, { ...of, after, most })
}

const countApps = statement((db: Reader, { after, ...of }: Placeholders<Repository & { after: number }>) =>
  appsOf(db, of)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('id', '>', after),
)

export async function countAppsAfter(db: Reader, of: Repository, after: number): Promise<number> {
  return (await countApps(db, { ...of, after }))[0]?.count ?? 0
}

const findNames = statement((db: Reader, of: Placeholders<Repository>) =>
  appsOf(db, of)
    .select(['git_repository as name', (eb) => eb.fn.min('id').as('since')])
    .groupBy('git_repository')
    .orderBy('since'),
)

/** The names under which apps know a repository: one, unless it is just being renamed. */
export async function namesOfRepository(db: Reader, of: Repository): Promise<string[]> {
  return (await findNames(db, of)).map(({ name }) => name)
}

export async function hasWatchingApp(db: Reader, { id }: Pick<GitAccountRow, 'id'>, repositoryId: string): Promise<boolean> {
  const apps = db.selectFrom('app').select('id').where('git_provider_id', '=', id).where('git_repository_id', '=', repositoryId)
  return (await apps.where('watch_paths', '!=', '[]').limit(1).executeTakeFirst()) !== undefined
}

/** Somebody could rename a repository for ever. */
const MOST_FORMER_LINKS = 20

type Names = { git_repository: string; git_clone_url: string; git_commit_url: string }

/** For these apps, the links of their deployments, and the webhook, which is removed under the name that the repository has then. */
export async function renameRepository(
  tx: Tx,
  { accountId, repositoryId, apps }: Repository & { apps: readonly Pick<AppRow, 'id' | 'git_commit_url'>[] },
  { names, at }: { names: Names; at: Date },
): Promise<void> {
  const ids = apps.map(({ id }) => id)
  await tx.updateTable('app').set(names).where('id', 'in', ids).execute()
  const of = { account_id: accountId, repository_id: repositoryId }
  for (const commit_url of new Set(apps.map(({ git_commit_url }) => git_commit_url)))
    await tx
      .insertInto('git_former_link')
      .values({ ...of, commit_url, noted_at: at.toISOString() })
      .onConflict((conflict) => conflict.columns(['account_id', 'repository_id', 'commit_url']).doUpdateSet({ noted_at: at.toISOString() }))
      .execute()
  const ofRepository = tx.selectFrom('git_former_link').where('account_id', '=', accountId).where('repository_id', '=', repositoryId)
  const newest = ofRepository.select('commit_url').orderBy('noted_at', 'desc').limit(MOST_FORMER_LINKS)
  await tx
    .deleteFrom('git_former_link')
    .where('account_id', '=', accountId)
    .where('repository_id', '=', repositoryId)
    .where('commit_url', 'not in', newest)
    .execute()
  await tx
    .updateTable('git_hook')
    .set({ repository: names.git_repository })
    .where('account_id', '=', accountId)
    .where('repository_id', '=', repositoryId)
    .execute()
}
