import { createAddAutomatic } from '../features/deployments/request/automatic.ts'
import { readServerAddress } from '../features/domains/server-address.ts'
import { createGitAccounts } from '../features/git-providers/accounts.ts'
import { createAppSource } from '../features/git-providers/app-source.ts'
import { createCommitCheck } from '../features/git-providers/commit-check.ts'
import { createAppHooks } from '../features/git-providers/github/app-hooks.ts'
import { aboutAppSecret } from '../features/git-providers/github/app-identity.ts'
import { createGitHubConnect } from '../features/git-providers/github/github-apps.ts'
import { createHandleInstallation } from '../features/git-providers/github/handle-installation.ts'
import { createInstallationTokens } from '../features/git-providers/github/installation-tokens.ts'
import { createInstallations } from '../features/git-providers/github/installations.ts'
import { findAppByKey, findInstalled } from '../features/git-providers/github/store.ts'
import { createHostAccess, createInTurn } from '../features/git-providers/host-access.ts'
import { createRepositories } from '../features/git-providers/repositories.ts'
import { aboutSecret } from '../features/git-providers/save-account.ts'
import { createConfirmPaths } from '../features/webhooks/forced-push.ts'
import { createWebhookGate } from '../features/webhooks/gate.ts'
import { createHandlePush } from '../features/webhooks/handle-push.ts'
import { createHooks } from '../features/webhooks/hooks.ts'
import { hasSharedSecrets } from '../features/webhooks/hooks-store.ts'
import { createInbox } from '../features/webhooks/inbox.ts'
import { createReceive } from '../features/webhooks/receive.ts'
import { createConfirmName } from '../features/webhooks/renamed-repository.ts'
import { createSenders } from '../features/webhooks/senders.ts'
import { createGitHubApps } from '../git-hosts/github-app.ts'
import { createHostClient } from '../git-hosts/host-client.ts'
import { createGitHosts } from '../git-hosts/hosts.ts'
import { createLimiter } from '../lib/limiter.ts'
import { createGroupedWrites } from '../store/grouped-writes.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'

/** Accounts on git hosts, and what apps get through them. */
function createAccountParts(base: Foundation, { policy, tls }: EngineParts) {
  const { db, secrets, now } = base
  const visit = createHostClient({ policy, tls, now })
  const visitHost = createGitHosts({ visit })
  const apps = createGitHubApps({ visit, now })
  const tokens = createInstallationTokens({ db, secrets, apps, now })
  const access = createHostAccess({ db, secrets, visitHost, tokens, now })
  const installations = createInstallations({ now, onChanged: tokens.forget })
  const inTurn = createInTurn(createLimiter({ running: 8, runningPerKey: 4, waiting: 64, waitingPerKey: 8, waitMs: 20_000 }))
  return { visitHost, apps, access, installations, inTurn, publicUrl: async () => await publicUrl(base) }
}

/** Accounts on git hosts, what apps get through them, and what the hosts tell us. */
export function createGitParts(base: Foundation, engineParts: EngineParts) {
  const { db, secrets, log, now } = base
  const accounts = createAccountParts(base, engineParts)
  const { access, installations, inTurn } = accounts
  const hooks = createHooks({ db, access, secrets, publicUrl: accounts.publicUrl, log, now })
  const moveAppHooks = createAppHooks({ ...accounts, db, secrets, log, now })
  const act = createHandlePush({ db, addAutomatic: createAddAutomatic({ now }), now })
  const senderOf = createSenders({
    db,
    secrets,
    findAppByKey: async (key) => await findAppByKey(db, key),
    aboutAppSecret,
    aboutAccountSecret: aboutSecret,
  })
  const redeliveries = createLimiter({ running: 4, runningPerKey: 1, waiting: 32, waitingPerKey: 8, waitMs: 20_000 })
  return {
    access,
    gitAccounts: createGitAccounts({ ...accounts, db, secrets, farewell: hooks.removeAllOf, renewHooks: hooks.renew, now }),
    gitHubConnect: createGitHubConnect({ ...accounts, db, secrets, now }),
    repositories: createRepositories({ access, inTurn }),
    appSource: createAppSource({ db, access, inTurn }),
    checkCommit: createCommitCheck({ db, access }),
    hooks,
    reconcileHooks: async (signal: AbortSignal) => {
      await hooks.reconcile(signal)
      await moveAppHooks(signal)
    },
    receive: createReceive({
      db,
      write: createGroupedWrites(db),
      senderOf,
      act,
      withSurePaths: createConfirmPaths({ db, access, waitMs: base.tuning.askForcedMs }),
      withSureName: createConfirmName({ db, access, waitMs: base.tuning.askForcedMs }),
      findInstalled,
      handleInstallation: createHandleInstallation(installations),
      now,
    }),
    inbox: createInbox({ db, act, limiter: redeliveries, now }),
    mayBeSigned: createWebhookGate({ senderOf, hasOldAddresses: async () => await hasSharedSecrets(db) }),
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
