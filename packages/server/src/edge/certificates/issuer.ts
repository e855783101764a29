import { type EdgeLog, EdgeUnavailable } from '../edge.ts'
import type { Acme } from './acme.ts'
import { AcmeFailure } from './acme-transport.ts'
import type { IssueAttempts } from './attempts.ts'
import type { StoredCertificate } from './certificate-files.ts'
import type { CertificateStore } from './kept-certificates.ts'
import { nextTryDelayMs } from './schedule.ts'

/** One attempt at one certificate: check first, order it, save it; or record the reason and when to try again. */
export function createCertificateIssuer(deps: {
  store: Pick<CertificateStore, 'put'>
  attempts: IssueAttempts
  acme: Pick<Acme, 'issue'>
  preflight: { problem(host: string): Promise<string | undefined> }
  directory: () => string
  log: EdgeLog
  now: () => Date
  random: () => number
}) {
  const { store, attempts, acme, preflight, directory, log, now, random } = deps

  async function tryIssue(host: string): Promise<StoredCertificate | undefined> {
    try {
      const problem = await preflight.problem(host)
      if (problem !== undefined) throw new AcmeFailure(problem)
      const certificate = await store.put(host, 'acme', await acme.issue(host))
      await attempts.clear(host)
      log.info({ host }, 'Certificate issued')
      return certificate
    } catch (cause) {
      await remember(host, cause)
      return undefined
    }
  }

  async function remember(host: string, cause: unknown): Promise<void> {
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
