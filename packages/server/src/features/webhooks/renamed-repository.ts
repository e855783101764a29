import type { GitAccountRow } from '../../domain/rows.ts'
import type { Reader } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import type { Push } from './push.ts'
import { appsOfRepository } from './store.ts'

type Deps = { db: Reader; access: Pick<HostAccess, 'use'>; waitMs: number }

/**
 * Whoever administers a repository can forge its deliveries, and could name another repository that the account sees. So a new name counts only
 * when the host says that it belongs to the id; otherwise the push keeps the name that is known.
 */
export function createSureName({ db, access, waitMs }: Deps) {
  return async function withSureName(account: GitAccountRow, push: Push): Promise<Push> {
    const [app] = await appsOfRepository(db, account, push.repositoryId)
    if (!app || app.git_repository === push.repository) return push
    const isRenamed = await access
      .use(account, async (host) => String((await host.repository(push.repository)).id) === push.repositoryId, AbortSignal.timeout(waitMs))
      .catch(() => false)
    return isRenamed ? push : { ...push, repository: app.git_repository }
  }
}
