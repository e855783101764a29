import type { GitHubAppRow } from '../../../domain/rows.ts'
import { HostError } from '../../../git-hosts/errors.ts'
import type { GitHubApps } from '../../../git-hosts/github-app.ts'
import type { Logger } from '../../../lib/logger.ts'
import { backoffMs } from '../../../lib/retry.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Db } from '../../../store/database.ts'
import { hookUrlOf } from './addresses.ts'
import { appIdentity } from './app-identity.ts'
import { listManaged, updateApp } from './store.ts'

type Deps = {
  db: Db
  secrets: SecretBox
  apps: Pick<GitHubApps, 'setHookUrl'>
  publicUrl: () => Promise<string | undefined>
  log: Pick<Logger, 'warn'>
  now: () => Date
}

const RETRY = { firstMs: 30_000, longestMs: 3600_000 }
const VISIT_MS = 10_000

/** When the public URL of this server changes, updates the webhook URL of the apps that were created for it. */
export function createAppHooks(deps: Deps) {
  const { db, now } = deps

  async function redirect(app: GitHubAppRow, url: string, signal: AbortSignal): Promise<void> {
    try {
      await deps.apps.setHookUrl(await appIdentity(db, deps.secrets, app), url, AbortSignal.any([signal, AbortSignal.timeout(VISIT_MS)]))
      await db.transaction(async (tx) => await updateApp(tx, app.id, { hook_url: url, hook_error: '', hook_failures: 0 }))
    } catch (cause) {
      signal.throwIfAborted()
      const failures = app.hook_failures + 1
      const next = new Date(now().getTime() + backoffMs(failures, RETRY)).toISOString()
      const error = cause instanceof HostError ? cause.message : 'Something went wrong inside Berth; its log has the details.'
      deps.log.warn({ githubApp: app.id, err: cause }, 'the webhook of a GitHub App was not moved')
      await db.transaction(
        async (tx) => await updateApp(tx, app.id, { hook_error: error, hook_failures: failures, hook_next_try_at: next }),
      )
    }
  }

  return async function reconcile(signal: AbortSignal): Promise<void> {
    const site = await deps.publicUrl()
    if (site === undefined) return
    for (const app of await listManaged(db, now())) {
      const url = hookUrlOf(site, app.hook_key)
      if (app.hook_url !== url) await redirect(app, url, signal)
    }
  }
}
