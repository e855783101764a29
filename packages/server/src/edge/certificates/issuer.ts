import { type EdgeLog, EdgeUnavailable } from '../edge.ts'
import type { AccountPause } from './account-pause.ts'
import type { Acme } from './acme.ts'
import { AcmeFailure } from './acme-transport.ts'
import type { IssueAttempts } from './attempts.ts'
import type { StoredCertificate } from './certificate-files.ts'
import type { CertificateStore } from './kept-certificates.ts'
import type { OrderBudget, OverBudget } from './order-budget.ts'
import { isAboutHost } from './rate-limit.ts'
import { nextTryDelayMs } from './schedule.ts'

/** Spreads hosts that wait for the same moment. */
const JITTER_MS = 5 * 60_000

/** One attempt at one certificate: check first, order it, save it; or record the reason and when to try again. */
export function createCertificateIssuer(deps: {
  store: Pick<CertificateStore, 'put'>
  attempts: IssueAttempts
  acme: Pick<Acme, 'issue'>
  preflight: { problem(host: string): Promise<string | undefined> }
  budget: OrderBudget
  pause: AccountPause
  directory: () => string
  log: EdgeLog
  now: () => Date
  random: () => number
}) {
  const { store, attempts, acme, preflight, budget, pause, directory, log, now, random } = deps

  async function tryIssue(host: string, ownerId: number | undefined): Promise<StoredCertificate | undefined> {
    try {
      const problem = await preflight.problem(host)
      if (problem !== undefined) throw new AcmeFailure(problem)
      if (pause.current()) return undefined // the authority said so meanwhile; it is tried after the pause
      const over = await budget.take(host, ownerId)
      if (over) {
        await wait(host, over)
        return undefined
      }
      const certificate = await store.put(host, 'acme', await acme.issue(host))
      await attempts.clear(host)
      await pause.noteSuccess()
      log.info({ host }, 'Certificate issued')
      return certificate
    } catch (cause) {
      await remember(host, cause)
      return undefined
    }
  }

  /** Waits without counting a failure of the host. */
  async function wait(host: string, { reason, until }: OverBudget): Promise<void> {
    const failures = attempts.get(host)?.failures ?? 0
    const nextTryAt = until.getTime() + Math.round(random() * JITTER_MS)
    await attempts.set(host, { failures, reason, isRateLimited: false, nextTryAt, directory: directory() })
  }

  async function noteAccountLimit(host: string, { message: reason, retryAfterMs }: AcmeFailure): Promise<void> {
    await pause.begin({ reason, retryAfterMs })
    const failures = attempts.get(host)?.failures ?? 0
    const nextTryAt = pause.current()?.until.getTime() ?? now().getTime()
    await attempts.set(host, { failures, reason, isRateLimited: true, nextTryAt, directory: directory() })
    log.warn({ host, until: new Date(nextTryAt) }, 'No certificates ordered: the authority limits the account')
  }

  async function remember(host: string, cause: unknown): Promise<void> {
    if (cause instanceof AcmeFailure && cause.isRateLimited && !isAboutHost(host, cause.detail)) return await noteAccountLimit(host, cause)
    // an edge that is not running says nothing about the host
    const isEdgeAway = cause instanceof EdgeUnavailable
    const message = cause instanceof Error ? cause.message : String(cause)
    const reason = isEdgeAway ? `The proxy on this server was not available: ${message}` : message
    const isRateLimited = cause instanceof AcmeFailure && cause.isRateLimited
    const retryAfterMs = cause instanceof AcmeFailure ? cause.retryAfterMs : undefined
    const failures = (attempts.get(host)?.failures ?? 0) + (isEdgeAway ? 0 : 1)
    const counted = isEdgeAway ? 0 : failures
    const delayMs = nextTryDelayMs({ failures: counted, isRateLimited, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, random())
    await attempts.set(host, { failures, reason, isRateLimited, nextTryAt: now().getTime() + delayMs, directory: directory() })
    log.warn({ host, failures, err: cause }, 'Certificate not issued')
  }

  return { tryIssue }
}

export type CertificateIssuer = ReturnType<typeof createCertificateIssuer>
