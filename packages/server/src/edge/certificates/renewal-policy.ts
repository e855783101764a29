import { ACCOUNT, type AccountPause } from './account-pause.ts'
import type { IssueAttempts } from './attempts.ts'
import type { StoredCertificate } from './certificate-files.ts'
import { renewAt } from './schedule.ts'

/** When to order a certificate: if the host has none, one from another authority, or an old one; and not too soon after a failure. */
export function createRenewalPolicy(deps: {
  shown: (host: string) => StoredCertificate | undefined
  attempts: IssueAttempts
  pause: Pick<AccountPause, 'current'>
  /** The authority that certificates are currently ordered from. */
  directory: () => string
  now: () => Date
}) {
  const { shown, attempts, pause, directory, now } = deps

  /** A certificate from another authority, such as a staging one, is served until the current authority has issued one. */
  function isOfDirectory(known: { readonly directory?: string | undefined }): boolean {
    return known.directory === undefined || known.directory === directory()
  }

  function isDue(host: string): boolean {
    if (pause.current()) return false
    const certificate = shown(host)
    if (certificate?.source === 'uploaded') return false
    if (certificate !== undefined && isOfDirectory(certificate) && now() < renewAt(certificate)) return false
    const attempt = attempts.get(host)
    return attempt === undefined || !isOfDirectory(attempt) || now().getTime() >= attempt.nextTryAt
  }

  function isLimited(host: string): boolean {
    const attempt = attempts.get(host)
    return attempt !== undefined && attempt.isRateLimited && isOfDirectory(attempt) && now().getTime() < attempt.nextTryAt
  }

  /** The authority's own rate limit outlives the domain: removing and adding it again must not order at once. */
  async function forgetAttempt(host: string): Promise<void> {
    if (!isLimited(host)) await attempts.clear(host)
  }

  /** The hosts that have an attempt, but for those of which only a rate limit is remembered. */
  function tried(): string[] {
    return attempts.hosts().filter((host) => host !== ACCOUNT && !isLimited(host))
  }

  /** Now instead of at the next planned time. The authority's own rate limit still applies. */
  async function retryNow(host: string): Promise<void> {
    const attempt = attempts.get(host)
    if (attempt === undefined || (attempt.isRateLimited && isOfDirectory(attempt))) return
    await attempts.retryAt(host, { time: now(), directory: directory() })
  }

  return { isDue, retryNow, forgetAttempt, tried }
}
