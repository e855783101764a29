import { findGitAccount, type GitAccountRow } from '../../domain/rows.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { backoffMs } from '../../lib/retry.ts'
import type { Db } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import { deleteHook, type HookRow, listHooksOf, saveHook } from './hooks-store.ts'

type Deps = { db: Db; access: Pick<HostAccess, 'use'>; log: Pick<Logger, 'warn'>; now: () => Date }

export const HOOK_RETRY = { firstMs: 30_000, longestMs: 3600_000 }
const MOST_TRIES = 5
const FAREWELL_MS = 10_000

/** Removes webhooks from their hosts. */
export function createRemoveHooks(deps: Deps) {
  const { db, access, now } = deps

  /** A host that can no longer be reached is given up after a while: its deliveries get a response with the reason. */
  async function remove(hook: HookRow, signal: AbortSignal): Promise<void> {
    const account = await findGitAccount(db, hook.account_id)
    try {
      if (account && hook.hook_id !== '')
        await access.use(account, async (host) => await host.removeHook(hook.repository, hook.hook_id), signal)
    } catch (cause) {
      const isOfHost = cause instanceof HostError
      const why = isOfHost ? { reason: cause.message } : { err: cause }
      deps.log.warn({ accountId: hook.account_id, ...why }, 'webhook not removed at the host')
      if ((!isOfHost || cause.isTransient) && hook.failures < MOST_TRIES) {
        const next = new Date(now().getTime() + backoffMs(hook.failures + 1, HOOK_RETRY)).toISOString()
        return await db.transaction(async (tx) => await saveHook(tx, { ...hook, failures: hook.failures + 1, next_try_at: next }))
      }
    }
    await db.transaction(async (tx) => await deleteHook(tx, hook))
  }

  /** Before an account is removed, while its token still exists. Best effort: the account is removed in any case. */
  async function removeAllOf(account: GitAccountRow): Promise<void> {
    const signal = AbortSignal.timeout(FAREWELL_MS)
    for (const hook of await listHooksOf(db, account.id)) if (!signal.aborted) await remove({ ...hook, failures: MOST_TRIES }, signal)
  }

  return { remove, removeAllOf }
}
