import { bestHost, type EdgePorts, hostUrl } from '../../domain/app-url.ts'
import { type AppRow, findApp, findGitAccount } from '../../domain/rows.ts'
import { SourceError } from '../../git/errors.ts'
import type { CommitState } from '../../git-hosts/commit-status.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { Limiter } from '../../lib/limiter.ts'
import type { Logger } from '../../lib/logger.ts'
import { backoffMs } from '../../lib/retry.ts'
import type { Db } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import { type DueStatus, listDueStatuses, listHosts, settleStatus } from './store.ts'
import { descriptionOf, stateOf } from './words.ts'

type Deps = {
  db: Db
  access: Pick<HostAccess, 'use'>
  /** Throws where the app may not use its account any more. */
  sourceOf: (app: AppRow) => Promise<unknown>
  publicUrl: () => Promise<string | undefined>
  edgePorts: EdgePorts
  limiter: Limiter
  /** After the first failure; then twice as long each time. */
  retryMs: number
  log: Pick<Logger, 'warn'>
  now: () => Date
}

const AT_ONCE = 500
const SEND_MS = 10_000
const MOST_TRIES = 10
const LONGEST_PAUSE_MS = 3600_000

/** Tells git hosts how deployments of their commits go. Deployments never wait for it: they leave a row, and this goes through them. */
export function createCommitStatuses(deps: Deps) {
  const { db, now } = deps

  async function sendDue(signal: AbortSignal): Promise<void> {
    const due = await listDueStatuses(db, now(), AT_ONCE)
    const news = due.filter(isNews)
    const settled = due.filter((row) => !isNews(row))
    if (settled.length > 0)
      await db.transaction(async (tx) => {
        for (const row of settled) await settleStatus(tx, row, { sent: row.sent, failures: 0, nextAt: null })
      })
    const sent = news.map(async (row) => {
      const app = await findApp(db, row.app_id)
      // those of one account one after the other: of two states of a deployment the newer one must come last
      if (app) await deps.limiter.run(app.git_provider_id ?? 0, async () => await send(row, app, signal), signal)
    })
    for (const done of await Promise.allSettled(sent))
      if (done.status === 'rejected' && !signal.aborted) deps.log.warn({ err: done.reason }, 'a commit status could not be sent')
  }

  async function settle(due: DueStatus, how: { sent: string; failures: number; nextAt: string | null }): Promise<void> {
    await db.transaction(async (tx) => await settleStatus(tx, due, how))
  }

  async function send(due: DueStatus, app: AppRow, signal: AbortSignal): Promise<void> {
    const state = stateOf(due.status)
    const done = { sent: due.sent, failures: 0, nextAt: null }
    if (state === undefined || due.commit_url !== app.git_commit_url) return await settle(due, done) // it has another source by now
    try {
      await tell(due, app, { state, signal })
      await settle(due, { ...done, sent: state })
    } catch (cause) {
      signal.throwIfAborted()
      if (!(cause instanceof HostError) && !(cause instanceof SourceError)) throw cause
      const failures = due.failures + 1
      deps.log.warn({ deploymentId: due.deployment_id, reason: cause.message, failures }, 'the git host was not told of a deployment')
      await settle(due, { sent: due.sent, failures, nextAt: mayPass(cause) && failures < MOST_TRIES ? next(failures, cause) : null })
    }
  }

  function next(failures: number, cause: HostError | SourceError): string {
    const until = cause instanceof HostError ? (cause.until?.getTime() ?? 0) : 0
    return new Date(
      Math.max(until, now().getTime() + backoffMs(failures, { firstMs: deps.retryMs, longestMs: LONGEST_PAUSE_MS })),
    ).toISOString()
  }

  async function tell(due: DueStatus, app: AppRow, { state, signal }: { state: CommitState; signal: AbortSignal }): Promise<void> {
    const account = app.git_provider_id === null ? undefined : await findGitAccount(db, app.git_provider_id)
    if (account === undefined) return
    await deps.sourceOf(app)
    const [base, host] = [await deps.publicUrl(), bestHost(await listHosts(db, app.id))]
    const status = {
      commit: due.commit_hash,
      state,
      name: `berth/${due.project_slug}/${app.slug}`,
      description: descriptionOf(state, host ? hostUrl(host, deps.edgePorts) : ''),
      url: base === undefined ? '' : `${base}/apps/${app.id}/deployments/${due.deployment_id}`,
    }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)])
    await deps.access.use(account, async (opened) => await opened.setCommitStatus(app.git_repository, status), limit)
  }

  return { sendDue }
}

/** One that was replaced before anybody heard of it is not worth a word: ten pushes in a row are told of once. */
function isNews({ status, sent }: DueStatus): boolean {
  const state = stateOf(status)
  return state !== undefined && state !== sent && !(state === 'cancelled' && sent === '')
}

function mayPass(cause: HostError | SourceError): boolean {
  return cause instanceof HostError ? cause.failure === 'unavailable' || cause.failure === 'rate_limited' : cause.isTransient
}
