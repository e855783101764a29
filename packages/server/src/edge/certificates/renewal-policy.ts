import type { IssueAttempts } from './attempts.ts'
import { renewAt } from './schedule.ts'
import type { StoredCertificate } from './store.ts'

/** When a certificate is ordered: for a host that has none, or one of another authority, or one that is old; and not too soon after a failure. */
export function createRenewalPolicy(deps: {
  shown: (host: string) => StoredCertificate | undefined
  attempts: IssueAttempts
  /** Where certificates are ordered at this time. */
  directory: () => string
  now: () => Date
}) {
  const { shown, attempts, directory, now } = deps

  /** A certificate of an authority that only tries out is served until that of the one that is asked now is there. */
  function isOfDirectory(known: { readonly directory?: string | undefined }): boolean {
    return known.directory === undefined || known.directory === directory()
  }

  function isDue(host: string): boolean {
    const certificate = shown(host)
    if (certificate?.source === 'uploaded') return false
    if (certificate !== undefined && isOfDirectory(certificate) && now() < renewAt(certificate)) return false
    const attempt = attempts.get(host)
    return attempt === undefined || !isOfDirectory(attempt) || now().getTime() >= attempt.nextTryAt
  }

  /** Now instead of at the next planned time. The authority's own limit is waited for all the same. */
  async function retryNow(host: string): Promise<void> {
    const attempt = attempts.get(host)
    if (attempt === undefined || (attempt.isRateLimited && isOfDirectory(attempt))) return
    await attempts.set(host, { ...attempt, nextTryAt: now().getTime() })
  }

  return { isDue, retryNow }
}
