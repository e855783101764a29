import type { GitAccountRow } from '../../domain/rows.ts'
import type { Reader } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import type { Push } from './push.ts'
import { namesOfRepository } from './repository-store.ts'

type Deps = { db: Reader; access: Pick<HostAccess, 'use'>; waitMs: number }

/**
 * An administrator of a repository can forge its deliveries, and could name another repository that the account can see. So a new name is
 * only accepted if the host confirms that it belongs to the id; otherwise the known name is kept.
 */
export function createConfirmName({ db, access, waitMs }: Deps) {
  return async function withConfirmedName(account: GitAccountRow, push: Push): Promise<Push> {
    const names = await namesOfRepository(db, { accountId: account.id, repositoryId: push.repositoryId })
    const [known] = names
    if (known === undefined || names.every((name) => name === push.repository)) return push
    const isRenamed = await access
      .use(account, async (host) => String((await host.repository(push.repository)).id) === push.repositoryId, AbortSignal.timeout(waitMs))
      .catch(() => false)
    return isRenamed ? push : { ...push, repository: known }
  }
}
