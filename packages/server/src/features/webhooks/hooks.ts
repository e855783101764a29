import type { AppWebhook } from '@berth/contract'
import { type AppRow, findGitAccount, type GitAccountRow } from '../../domain/rows.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { backoffMs } from '../../lib/retry.ts'
import type { Db } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import { findHook, type HookRow, listHooks, listWantedHooks, saveHook, type WantedHook } from './hooks-store.ts'
import { createRemoveHooks, HOOK_RETRY } from './remove-hooks.ts'

type Deps = {
  db: Db
  access: Pick<HostAccess, 'use'>
  secretOf: (account: GitAccountRow) => string
  /** Where hosts reach this server; undefined while nobody knows. */
  publicUrl: () => Promise<string | undefined>
  log: Pick<Logger, 'warn'>
  now: () => Date
}

const NO_ADDRESS =
  'Nobody outside knows this server yet: set the domain of the dashboard in the settings, so that the host can send its deliveries there.'

/** Registers a webhook for every repository that an app deploys from, and takes it away again when the last one is gone. */
export function createHooks(deps: Deps) {
  const { db, now } = deps
  const { remove, removeAllOf } = createRemoveHooks(deps)
  const { urlFor, attempt } = createAttempt(deps)

  /** Compares what is wanted with what was registered, and does what is missing and due. */
  async function reconcile(signal: AbortSignal): Promise<void> {
    const [wanted, known] = await Promise.all([listWantedHooks(db), listHooks(db)])
    const keyOf = (accountId: number, repositoryId: string) => `${accountId}/${repositoryId}`
    const rows = new Map(known.map((hook) => [keyOf(hook.account_id, hook.repository_id), hook]))
    for (const want of wanted) {
      const key = keyOf(want.accountId, want.repositoryId)
      const hook = rows.get(key)
      rows.delete(key)
      signal.throwIfAborted()
      if (await isDue(want, hook)) await attempt(want, hook, signal)
    }
    for (const hook of rows.values()) if (hook.next_try_at <= now().toISOString()) await remove(hook, signal)
  }

  async function isDue(want: WantedHook, hook: HookRow | undefined): Promise<boolean> {
    if (hook === undefined) return true
    const isRight = hook.error === '' && hook.url === (await urlFor(want.accountId)) && hook.repository === want.repository
    return !isRight && (hook.next_try_at <= now().toISOString() || hook.error === '')
  }

  async function stateOf(app: AppRow): Promise<AppWebhook> {
    if (app.git_provider_id === null) return { status: 'none', error: '', url: '' }
    const hook = await findHook(db, app.git_provider_id, app.git_repository_id)
    if (hook === undefined) return { status: 'pending', error: '', url: '' }
    const status = hook.error !== '' ? 'failed' : hook.hook_id === '' ? 'pending' : 'active'
    return { status, error: hook.error, url: hook.url }
  }

  return { reconcile, removeAllOf, stateOf }
}

/** One try to have a webhook as it is wanted. What comes of it is kept, with when to try again. */
function createAttempt(deps: Deps) {
  const { db, access, now } = deps

  async function urlFor(accountId: number): Promise<string | undefined> {
    const base = await deps.publicUrl()
    return base && `${base}/api/webhooks/git?account=${accountId}`
  }

  async function attempt(want: WantedHook, hook: HookRow | undefined, signal: AbortSignal): Promise<void> {
    const { accountId, repositoryId, repository } = want
    const account = await findGitAccount(db, accountId)
    if (!account) return
    const base = {
      account_id: accountId,
      repository_id: repositoryId,
      repository,
      failures: 0,
      error: '',
      next_try_at: now().toISOString(),
    }
    try {
      const url = await urlFor(accountId)
      if (url === undefined) throw new HostError('unavailable', NO_ADDRESS)
      const hookId =
        hook?.hook_id && hook.url === url ? hook.hook_id : await register(account, { repository, url, old: hook?.hook_id ?? '' }, signal)
      await db.transaction(async (tx) => await saveHook(tx, { ...base, hook_id: hookId, url }))
    } catch (cause) {
      if (!(cause instanceof HostError)) throw cause
      const failures = (hook?.failures ?? 0) + 1
      const next = new Date(now().getTime() + backoffMs(failures, HOOK_RETRY)).toISOString()
      const failed = { ...base, hook_id: hook?.hook_id ?? '', url: hook?.url ?? '', failures, error: cause.message, next_try_at: next }
      await db.transaction(async (tx) => await saveHook(tx, failed))
    }
  }

  async function register(
    account: GitAccountRow,
    wanted: { repository: string; url: string; old: string },
    signal: AbortSignal,
  ): Promise<string> {
    const secret = deps.secretOf(account)
    return await access.use(
      account,
      async (host) => {
        if (wanted.old !== '') await host.removeHook(wanted.repository, wanted.old)
        return await host.addHook(wanted.repository, { url: wanted.url, secret })
      },
      signal,
    )
  }

  return { urlFor, attempt }
}

export type Hooks = ReturnType<typeof createHooks>
