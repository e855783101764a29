import { sql } from 'kysely'
import type { Reader } from '../store/database.ts'

/**
 * The URL of a deployment's commit, up to the hash, in a query of `deployment`. If the repository of its app was renamed since, it is that of
 * the new name: to rewrite it in all deployments of all apps would take seconds.
 */
export const commitLink = sql<string>`coalesce((
  select source.git_commit_url from app as source
  join git_former_link as former on former.account_id = source.git_provider_id and former.repository_id = source.git_repository_id
  where source.id = deployment.app_id and former.commit_url = deployment.commit_url
), deployment.commit_url)`

export async function findCommitLink(db: Reader, deploymentId: number): Promise<string | undefined> {
  const found = db.selectFrom('deployment').select(commitLink.as('commit_url')).where('deployment.id', '=', deploymentId)
  return (await found.executeTakeFirst())?.commit_url
}
