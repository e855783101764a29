import type { Pause } from './account-pause.ts'
import type { IssueAttempt } from './attempts.ts'
import type { StoredCertificate } from './certificate-files.ts'

export type CertificateStatus = {
  readonly sslStatus: 'none' | 'pending' | 'active' | 'failed'
  /** Can also be set with `active`: the certificate still works but its renewal fails. */
  readonly sslError: string | null
  readonly expiresAt: Date | null
  readonly nextTryAt: Date | null
}

const REFUSED = "The proxy rejected this certificate; Berth's log has the reason. Upload another one, or remove it."

/** For a host without a row of its own. Undefined if all is well, or if no certificate is wanted. */
export function whyNoCertificate(host: string, { sslError, nextTryAt }: CertificateStatus): string {
  if (host === '' || sslError === null) return ''
  const next = nextTryAt === null ? '' : ` Next attempt at ${nextTryAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`
  return `There is no new certificate for ${host}: ${sslError}${next}`
}

export function certificateStatus(known: {
  certificate: StoredCertificate | undefined
  attempt: IssueAttempt | undefined
  /** Nothing is ordered for anybody. */
  pause: Pause | undefined
  isRefused: boolean
  isWorking: boolean
  isWanted: boolean
  now: Date
}): CertificateStatus {
  const { certificate, attempt, pause, isRefused, isWorking, isWanted, now } = known
  const nextTryAt = attempt === undefined || isWorking ? null : new Date(attempt.nextTryAt)
  const sslError = attempt?.reason ?? null
  if (certificate !== undefined) {
    const expiresAt = certificate.notAfter
    if (isRefused) return { sslStatus: 'failed', sslError: REFUSED, expiresAt, nextTryAt }
    if (expiresAt > now) return { sslStatus: 'active', sslError, expiresAt, nextTryAt }
    return {
      sslStatus: 'failed',
      sslError: sslError ?? `The certificate expired on ${expiresAt.toISOString().slice(0, 10)}.`,
      expiresAt,
      nextTryAt,
    }
  }
  if (attempt !== undefined && !isWorking) return { sslStatus: 'failed', sslError, expiresAt: null, nextTryAt }
  if (pause !== undefined && isWanted && !isWorking)
    return { sslStatus: 'pending', sslError: pause.reason, expiresAt: null, nextTryAt: pause.until }
  return { sslStatus: isWanted || isWorking ? 'pending' : 'none', sslError, expiresAt: null, nextTryAt: null }
}
