import type { GitAccountRow } from '../../domain/rows.ts'
import type { Reader } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import type { Push } from './push.ts'
import { hasWatchingApp } from './repository-store.ts'

type Deps = { db: Reader; access: Pick<HostAccess, 'use'>; waitMs: number }

/**
 * The paths in a push are complete only if it was not forced. GitHub says whether it was; GitLab and Gitea do not, so they are asked if an
 * app watches paths. If the host does not answer in time, the changed paths are unknown.
 */
export function createConfirmPaths({ db, access, waitMs }: Deps) {
  return async function withSurePaths(account: GitAccountRow, push: Push): Promise<Push> {
    if (account.provider === 'github' || push.paths === null || push.isDeleted) return push
    if (!(await hasWatchingApp(db, account, push.repositoryId))) return push
    const { repository, before, after } = push
    const isStraight = await access
      .use(account, async (host) => await host.isAncestor(repository, before, after), AbortSignal.timeout(waitMs))
      .catch(() => false)
    return isStraight ? push : { ...push, paths: null }
  }
}
