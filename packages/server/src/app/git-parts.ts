import { findGitAccount, type GitAccountRow } from '../domain/rows.ts'
import { createAddAutomatic } from '../features/deployments/automatic.ts'
import { readServerAddress } from '../features/domains/server-address.ts'
import { createGitAccounts } from '../features/git-providers/accounts.ts'
import { createAppSource } from '../features/git-providers/app-source.ts'
import { createHostAccess, createInTurn } from '../features/git-providers/host-access.ts'
import { createRepositories } from '../features/git-providers/repositories.ts'
import { aboutSecret } from '../features/git-providers/save-account.ts'
import { createWebhookGate } from '../features/webhooks/gate.ts'
import { createHooks } from '../features/webhooks/hooks.ts'
import { createInbox } from '../features/webhooks/inbox.ts'
import { createReceive } from '../features/webhooks/receive.ts'
import { createHostClient } from '../git-hosts/host-client.ts'
import { createGitHosts } from '../git-hosts/hosts.ts'
import { createLimiter } from '../lib/limiter.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'

/** Git accounts, what apps use them for, and the webhooks of git hosts. */
export function createGitParts(base: Foundation, { policy, authorities }: EngineParts) {
  const { db, secrets, log, now } = base
  const visitHost = createGitHosts({ visit: createHostClient({ policy, ca: authorities.ca, now }) })
  const access = createHostAccess({ db, secrets, visitHost, now })
  const inTurn = createInTurn(createLimiter({ running: 8, runningPerKey: 4, waiting: 64, waitingPerKey: 8, waitMs: 20_000 }))
  const secretOf = (account: GitAccountRow) =>
    account.sealed_secret === '' ? '' : secrets.open(account.sealed_secret, aboutSecret(account.id))
  const hooks = createHooks({ db, access, secretOf, publicUrl: async () => await publicUrl(base), log, now })
  const { receive, act } = createReceive({ db, secretOf, addAutomatic: createAddAutomatic({ now }), now })
  const redeliveries = createLimiter({ running: 4, runningPerKey: 1, waiting: 32, waitingPerKey: 8, waitMs: 20_000 })
  return {
    access,
    gitAccounts: createGitAccounts({ db, secrets, visitHost, access, inTurn, farewell: hooks.removeAllOf, now }),
    repositories: createRepositories({ access, inTurn }),
    appSource: createAppSource({ db, access, inTurn }),
    hooks,
    receive,
    inbox: createInbox({ db, act, limiter: redeliveries, now }),
    mayBeSigned: createWebhookGate({ findAccount: async (id) => await findGitAccount(db, id), secretOf }),
  }
}

export type GitParts = ReturnType<typeof createGitParts>

/** The public URL of this server: the dashboard's domain, or else the address under which admins open it. */
export async function publicUrl({ db, settings, config }: Foundation): Promise<string | undefined> {
  const { dashboardDomain } = settings()
  const { httpsPort } = config.edge
  if (dashboardDomain !== '') return `https://${dashboardDomain}${httpsPort === 443 ? '' : `:${httpsPort}`}`
  const address = await readServerAddress(db)
  return address && `http://${address.includes(':') ? `[${address}]` : address}:${config.port}`
}
