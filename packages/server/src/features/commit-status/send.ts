import { bestHost, type EdgePorts, hostUrl } from '../../domain/app-url.ts'
import { type AppRow, findApp, findGitAccount } from '../../domain/rows.ts'
import { SourceError } from '../../git/errors.ts'
import type { CommitState } from '../../git-hosts/commit-status.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { backoffMs } from '../../lib/retry.ts'
import type { Db } from '../../store/database.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import { createHostDeployments } from './host-deployments.ts'
import { type DueStatus, listHosts, settleStatus } from './store.ts'
import { descriptionOf, stateOf } from './words.ts'

type Deps = {
  db: Db
  access: Pick<HostAccess, 'use'>
  /** Throws where the app may not use its account any more. */
  sourceOf: (app: AppRow) => Promise<unknown>
  publicUrl: () => Promise<string | undefined>
  edgePorts: EdgePorts
  /** After the first failure; then twice as long each time. */
  retryMs: number
  log: Pick<Logger, 'info' | 'warn'>
  now: () => Date
}

const MOST_TRIES = 10
const LONGEST_PAUSE_MS = 3600_000

/** Tells of one deployment; false where the host is not worth another question in this turn. */
export function createSend(deps: Deps) {
  const { db, now } = deps
  const showDeployment = createHostDeployments(deps)

  async function settle(due: DueStatus, how: { sent: string; failures: number; nextAt: string | null }): Promise<void> {
    await db.transaction(async (tx) => await settleStatus(tx, due, how))
  }

  async function send(due: DueStatus, { limit, stopping }: { limit: AbortSignal; stopping: AbortSignal }): Promise<boolean> {
    const app = await findApp(db, due.app_id)
    const state = stateOf(due.status)
    const done = { sent: due.sent, failures: 0, nextAt: null }
    const isOfSource = app !== undefined && due.commit_url === app.git_commit_url // otherwise it has another source by now
    if (state === undefined || !isOfSource) {
      await settle(due, done)
      return true
    }
    try {
      await tell(due, app, { state, signal: limit })
      await settle(due, { ...done, sent: state })
      return true
    } catch (cause) {
      stopping.throwIfAborted()
      if (!(cause instanceof HostError) && !(cause instanceof SourceError)) throw cause
      return await noteFailure(due, cause)
    }
  }

  async function noteFailure(due: DueStatus, cause: HostError | SourceError): Promise<boolean> {
    const failures = due.failures + 1
    deps.log.warn({ deploymentId: due.deployment_id, reason: cause.message, failures }, 'the git host was not told of a deployment')
    const { isTransient } = cause
    await settle(due, { sent: due.sent, failures, nextAt: isTransient && failures < MOST_TRIES ? next(failures, cause) : null })
    return !isTransient
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
    const appUrl = host ? hostUrl(host, deps.edgePorts) : ''
    const logUrl = base === undefined ? '' : `${base}/apps/${app.id}/deployments/${due.deployment_id}`
    const environment = `${due.project_slug}/${app.slug}`
    const status = { state, environment, description: descriptionOf(state, appUrl), appUrl, logUrl }
    const repository = app.git_repository
    const commitStatus = { commit: due.commit_hash, state, name: `berth/${environment}`, description: status.description, url: logUrl }
    await deps.access.use(
      account,
      async (opened) => {
        if (!due.is_overtaken) await opened.setCommitStatus(repository, commitStatus)
        await showDeployment(opened, { accountId: account.id, repository, due, status })
      },
      signal,
    )
  }

  return send
}
