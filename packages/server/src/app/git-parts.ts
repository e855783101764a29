import { createGitAccounts } from '../features/git-providers/accounts.ts'
import { createAppSource } from '../features/git-providers/app-source.ts'
import { createHostAccess } from '../features/git-providers/host-access.ts'
import { createRepositories } from '../features/git-providers/repositories.ts'
import { createHostClient } from '../git-hosts/host-client.ts'
import { createGitHosts } from '../git-hosts/hosts.ts'
import { createLimiter } from '../lib/limiter.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'

/** Accounts on git hosts, and what apps get through them. */
export function createGitParts({ db, secrets, now }: Foundation, { policy, authorities }: EngineParts) {
  const visitHost = createGitHosts({ visit: createHostClient({ policy, ca: authorities.ca, now }) })
  const access = createHostAccess({ db, secrets, visitHost, now })
  const limiter = createLimiter({ running: 8, runningPerKey: 4, waiting: 64, waitingPerKey: 8, waitMs: 20_000 })
  return {
    gitAccounts: createGitAccounts({ db, secrets, visitHost, access, now }),
    repositories: createRepositories({ access, limiter }),
    appSource: createAppSource({ db, access }),
  }
}

export type GitParts = ReturnType<typeof createGitParts>
