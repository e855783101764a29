import type { AppWebhook } from '@berth/contract'
import { type AppRow, findGitAccount, type GitAccountRow } from '../../domain/rows.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { backoffMs } from '../../lib/retry.ts'
import type { Db } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import { runByAccount } from './by-account.ts'
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

/** With the address that its deliveries go to; undefined while nobody knows. */
type WantedAt = WantedHook & { url: string | undefined }

const ACCOUNTS_AT_ONCE = 4
const VISIT_MS = 10_000
const NO_ADDRESS =
  'Nobody outside knows this server yet: set the domain of the dashboard in the settings, so that the host can send its deliveries there.'

/** Registers a webhook for every repository that an app deploys from, and takes it away again when the last one is gone. */
export function createHooks(deps: Deps) {
  const { db, now } = deps
  const { remove, removeAllOf } = createRemoveHooks(deps)
  const attempt = createAttempt(deps)

  /** Compares what is wanted with what was registered, and does what is missing and due. */
  async function reconcile(signal: AbortSignal): Promise<void> {
    const [wanted, known, base] = await Promise.all([listWantedHooks(db), listHooks(db), deps.publicUrl()])
    const keyOf = (accountId: number, repositoryId: string) => `${accountId}/${repositoryId}`
    const rows = new Map(known.map((hook) => [keyOf(hook.account_id, hook.repository_id), hook]))
    const visit = () => AbortSignal.any([signal, AbortSignal.timeout(VISIT_MS)])
    const tasks = wanted.flatMap((want) => {
      const key = keyOf(want.accountId, want.repositoryId)
      const hook = rows.get(key)
      rows.delete(key)
      const url = base && `${base}/api/webhooks/git?account=${want.accountId}`
      const run = async () => await attempt({ ...want, url }, hook, visit())
      return isDue({ ...want, url }, hook) ? [{ accountId: want.accountId, run }] : []
    })
    for (const hook of rows.values())
      if (hook.next_try_at <= now().toISOString()) tasks.push({ accountId: hook.account_id, run: async () => await remove(hook, visit()) })
    const onFailure = (accountId: number, cause: unknown) => deps.log.warn({ accountId, err: cause }, 'a webhook could not be seen to')
    await runByAccount(tasks, { atOnce: ACCOUNTS_AT_ONCE, signal, onFailure })
  }

  function isDue(want: WantedAt, hook: HookRow | undefined): boolean {
    if (hook === undefined) return true
    const isRight = hook.error === '' && hook.url === want.url && hook.repository === want.repository
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

  async function attempt(want: WantedAt, hook: HookRow | undefined, signal: AbortSignal): Promise<void> {
    const { accountId, repositoryId, repository, url } = want
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

  return attempt
}

export type Hooks = ReturnType<typeof createHooks>
