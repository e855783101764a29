import { randomBytes } from 'node:crypto'
import type { AppWebhook } from '@berth/contract'
import { isProofOfHost } from '../../domain/account-use.ts'
import { type AppRow, findGitAccount, findGitHubApp, type GitAccountRow } from '../../domain/rows.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { backoffMs } from '../../lib/retry.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import { runByPerson } from './by-person.ts'
import { findHook, type HookRow, listHooks, listWantedHooks, registerAgain, saveHook, type WantedHook } from './hooks-store.ts'
import { createRemoveHooks, HOOK_RETRY } from './remove-hooks.ts'
import { aboutHook, addressKey } from './senders.ts'

type Deps = {
  db: Db
  access: Pick<HostAccess, 'use'>
  secrets: SecretBox
  /** The public URL of this server; undefined while it is unknown. */
  publicUrl: () => Promise<string | undefined>
  log: Pick<Logger, 'warn'>
  now: () => Date
}

/** With the public URL of this server; undefined while it is unknown. */
type WantedAt = WantedHook & { site: string | undefined }

const PEOPLE_AT_ONCE = 4
const VISIT_MS = 10_000
const SLOW_MS = 5000
const NO_ADDRESS =
  'This server has no public address yet. Set the dashboard domain in the settings, so that the host can send webhooks there.'

const OUR_FAULT = 'Something went wrong inside Berth; its log has the details.'
const SECRET_KNOWN =
  'Deliveries of this GitHub App are not accepted, because the person who chose its webhook secret has left the project. Connect the app again with another secret.'
const PLAIN =
  'Webhooks arrive over plain http, so others on the network can read and replay them. Set the dashboard domain in the settings.'

/** Registers a webhook for every repository that an app deploys from, and removes it with the last such app. */
export function createHooks(deps: Deps) {
  const { db, now } = deps
  const { remove, removeAllOf } = createRemoveHooks(deps)
  const attempt = createAttempt(deps)

  /** Compares the wanted webhooks with the registered ones, and makes the changes that are due. */
  async function reconcile(signal: AbortSignal): Promise<void> {
    const [wanted, known, site] = await Promise.all([listWantedHooks(db), listHooks(db), deps.publicUrl()])
    const keyOf = (accountId: number, repositoryId: string) => `${accountId}/${repositoryId}`
    const rows = new Map(known.map(({ person, ...hook }) => [keyOf(hook.account_id, hook.repository_id), { person, hook }]))
    const visit = () => AbortSignal.any([signal, AbortSignal.timeout(VISIT_MS)])
    const tasks = wanted.flatMap((want) => {
      const key = keyOf(want.accountId, want.repositoryId)
      const hook = rows.get(key)?.hook
      rows.delete(key)
      const run = async () => await attempt({ ...want, site }, hook, visit())
      return isDue({ ...want, site }, hook) ? [{ person: want.person, accountId: want.accountId, run }] : []
    })
    for (const { person, hook } of rows.values())
      if (hook.next_try_at <= now().toISOString())
        tasks.push({ person, accountId: hook.account_id, run: async () => await remove(hook, visit()) })
    const onFailure = (accountId: number, cause: unknown) => deps.log.warn({ accountId, err: cause }, 'a webhook could not be checked')
    await runByPerson(tasks, { atOnce: PEOPLE_AT_ONCE, slowMs: SLOW_MS, signal, onFailure })
  }

  function isDue(want: WantedAt, hook: HookRow | undefined): boolean {
    if (hook === undefined) return true
    const isRight = hook.error === '' && hook.url === urlFor(want, secretOf(hook)) && hook.repository === want.repository
    return !isRight && (hook.next_try_at <= now().toISOString() || hook.error === '')
  }

  function secretOf(hook: HookRow): string {
    return hook.sealed_secret === '' ? '' : deps.secrets.open(hook.sealed_secret, aboutHook(hook))
  }

  async function stateOf(app: AppRow): Promise<AppWebhook> {
    if (app.git_provider_id === null) return { status: 'none', error: '', warning: '', url: '' }
    const account = await findGitAccount(db, app.git_provider_id)
    if (account?.via === 'app') return await stateOfApp(db, account)
    const hook = await findHook(db, app.git_provider_id, app.git_repository_id)
    if (hook === undefined) return { status: 'pending', error: '', warning: '', url: '' }
    const status = hook.error !== '' ? 'failed' : hook.hook_id === '' || hook.url === '' ? 'pending' : 'active'
    return { status, error: hook.error, warning: warningOf(hook.url), url: hook.url }
  }

  /** For somebody who checks an account or connects it again: nobody tells us of a webhook that was deleted or switched off at its host. */
  async function renew(accountId: number): Promise<void> {
    await db.transaction(async (tx) => await registerAgain(tx, accountId, now()))
  }

  return { reconcile, removeAllOf, renew, stateOf }
}

/** An installation uses the webhook of its app. */
async function stateOfApp(db: Db, account: GitAccountRow): Promise<AppWebhook> {
  const app = account.github_app_id === null ? undefined : await findGitHubApp(db, account.github_app_id)
  const url = app?.hook_url ?? ''
  const isBelieved = app === undefined || (await isProofOfHost(db, app))
  const error = account.error || (isBelieved ? (app?.hook_error ?? '') : SECRET_KNOWN)
  return { status: error === '' ? 'active' : 'failed', error, warning: warningOf(url), url }
}

function warningOf(url: string): string {
  return url.startsWith('http://') ? PLAIN : ''
}

/** One attempt to register a webhook. The result is saved, with the time of the next attempt. */
function createAttempt(deps: Deps) {
  const { db, access, now } = deps

  async function attempt(want: WantedAt, hook: HookRow | undefined, signal: AbortSignal): Promise<void> {
    const { accountId: account_id, repositoryId: repository_id, repository } = want
    const account = await findGitAccount(db, account_id)
    if (!account) return
    const key = { account_id, repository_id }
    const fresh = { ...key, repository, hook_id: '', url: '', failures: 0, error: '', next_try_at: now().toISOString() }
    const sealed_secret = hook?.sealed_secret || deps.secrets.seal(randomBytes(32).toString('hex'), aboutHook(key))
    // Saved before the call, because a delivery may arrive before the response. The old secret is kept until it is replaced.
    if (!hook) await save({ ...fresh, sealed_secret })
    try {
      const secret = deps.secrets.open(sealed_secret, aboutHook(key))
      const url = urlFor(want, secret)
      if (url === undefined) throw new HostError('unavailable', NO_ADDRESS)
      const isThere = hook?.hook_id && hook.url === url
      const hookId = isThere ? hook.hook_id : await register(account, { repository, url, secret, old: hook?.hook_id ?? '' }, signal)
      await save({ ...fresh, hook_id: hookId, url, sealed_secret })
    } catch (cause) {
      const isOfHost = cause instanceof HostError
      if (!isOfHost) deps.log.warn({ accountId: account_id, err: cause }, 'a webhook could not be registered')
      const failures = (hook?.failures ?? 0) + 1
      const next_try_at = new Date(now().getTime() + backoffMs(failures, HOOK_RETRY)).toISOString()
      await save({ ...fresh, sealed_secret, ...hook, repository, failures, error: isOfHost ? cause.message : OUR_FAULT, next_try_at })
    }
  }

  async function save(hook: HookRow): Promise<void> {
    await db.transaction(async (tx) => await saveHook(tx, hook))
  }

  async function register(account: GitAccountRow, wanted: Registered, signal: AbortSignal): Promise<string> {
    return await access.use(
      account,
      async (host) => {
        const id = await host.addHook(wanted.repository, { url: wanted.url, secret: wanted.secret })
        if (wanted.old !== '' && wanted.old !== id) await host.removeHook(wanted.repository, wanted.old)
        return id
      },
      signal,
    )
  }

  return attempt
}

type Registered = { repository: string; url: string; secret: string; old: string }

/** The URL of a webhook, with a key that cannot be guessed. */
function urlFor({ site, accountId, repositoryId }: WantedAt, secret: string): string | undefined {
  return site && `${site}/api/webhooks/git?account=${accountId}&repository=${repositoryId}&key=${addressKey(secret)}`
}

export type Hooks = ReturnType<typeof createHooks>
