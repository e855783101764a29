import { type AppRow, type DeploymentRow, findGitAccount, type GitAccountRow } from '../../domain/rows.ts'
import { RepositoryUnreachable, SourceRefused } from '../../git/errors.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { Reader } from '../../store/database.ts'
import type { HostAccess } from './host-access.ts'
import { wasDeployed } from './store.ts'

type Named = Pick<DeploymentRow, 'id' | 'commit_hash' | 'trigger'>

/**
 * Reported by the host itself, or deployed before. Nobody knows the webhook secret of a token account, but whoever connects a GitHub App by
 * hand chooses the secret, and could sign a push with any commit.
 */
function isTrusted(trigger: DeploymentRow['trigger'], { via }: Pick<GitAccountRow, 'via'>): boolean {
  return trigger === 'poll' || trigger === 'rollback' || (trigger === 'webhook' && via === 'token')
}

/**
 * With an account, an app may only deploy commits of its branch. Hosts also serve commits of other branches, of forks and of deleted
 * branches to anybody who knows the hash.
 */
export function createCommitCheck({ db, access }: { db: Reader; access: Pick<HostAccess, 'use'> }) {
  return async function checkCommit(app: AppRow, deployment: Named, signal: AbortSignal): Promise<void> {
    const { commit_hash: hash } = deployment
    const account = app.git_provider_id === null ? undefined : await findGitAccount(db, app.git_provider_id)
    if (!account || hash === '' || isTrusted(deployment.trigger, account)) return
    if (await wasDeployed(db, { appId: app.id, hash, besides: deployment.id })) return
    const isOnBranch = await access
      .use(
        account,
        async (host) => {
          const branch = app.git_branch || (await host.repository(app.git_repository)).defaultBranch
          return await host.isAncestor(app.git_repository, hash, branch)
        },
        signal,
      )
      .catch((cause: unknown) => {
        if (!(cause instanceof HostError)) throw cause
        if (cause.failure === 'missing') return false
        if (cause.isTransient) throw new RepositoryUnreachable(cause.message, { isTransient: true, cause })
        throw new SourceRefused(cause.message, { cause })
      })
    if (!isOnBranch)
      throw new SourceRefused(
        `The commit ${hash.slice(0, 12)} is not on the branch ${app.git_branch || 'that the app deploys from'}. With a git account, an app only deploys commits of its branch.`,
      )
  }
}

export type CommitCheck = ReturnType<typeof createCommitCheck>
