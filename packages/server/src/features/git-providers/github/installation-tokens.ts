import { findGitHubApp, type GitAccountRow } from '../../../domain/rows.ts'
import { HostError } from '../../../git-hosts/errors.ts'
import type { AppIdentity, GitHubApps, InstallationToken } from '../../../git-hosts/github-app.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Reader } from '../../../store/database.ts'
import { appIdentity } from './app-identity.ts'

/** Longer than the longest clone, so that a token does not expire during one. */
const SPARE_MS = 20 * 60_000

type Deps = { db: Reader; secrets: SecretBox; apps: Pick<GitHubApps, 'token' | 'installation'>; now: () => Date }

/** Access tokens of installations: created on demand, valid for an hour, and kept in memory only. */
export function createInstallationTokens({ db, secrets, apps, now }: Deps) {
  const known = new Map<number, Promise<InstallationToken>>()

  async function identityOf(account: GitAccountRow): Promise<AppIdentity> {
    const app = account.github_app_id === null ? undefined : await findGitHubApp(db, account.github_app_id)
    if (!app) throw new HostError('missing', 'The GitHub App of this account is no longer connected. Connect it again.')
    return await appIdentity(db, secrets, app)
  }

  function make(account: GitAccountRow): Promise<InstallationToken> {
    const making = identityOf(account).then(async (app) => await apps.token(app, account.host_id))
    known.set(account.id, making)
    making.catch(() => forget(account.id, making))
    return making
  }

  function forget(accountId: number, which?: Promise<InstallationToken>): void {
    if (which === undefined || known.get(accountId) === which) known.delete(accountId)
  }

  /** Concurrent callers share one request; each stops waiting when its own signal is aborted. */
  async function tokenOf(account: GitAccountRow, signal?: AbortSignal): Promise<string> {
    const held = known.get(account.id)
    const old = held && (await inTime(held, signal))
    if (old && old.expiresAt.getTime() - now().getTime() > SPARE_MS) return old.token
    return (await inTime(make(account), signal)).token
  }

  /** Checks with the host that the installation exists and is not suspended. */
  async function look(account: GitAccountRow): Promise<void> {
    const { isSuspended } = await apps.installation(await identityOf(account), account.host_id)
    if (isSuspended) throw new HostError('suspended', suspendedWords(account))
  }

  return { tokenOf, look, forget: (accountId: number) => forget(accountId) }
}

export type InstallationTokens = ReturnType<typeof createInstallationTokens>

export function suspendedWords({ base_url, login }: Pick<GitAccountRow, 'base_url' | 'login'>): string {
  return `${login} has suspended the app at ${new URL(base_url).hostname}. Unsuspend it in the settings of ${login} there, under Applications.`
}

export function removedWords({ base_url, login }: Pick<GitAccountRow, 'base_url' | 'login'>): string {
  return `${login} has uninstalled the app at ${new URL(base_url).hostname}. Install it again from the page of the app there, or disconnect this account.`
}

async function inTime<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return await work
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
