import type { Generated } from 'kysely'

/** A certificate and its key, which every node writes into the files of its HAProxy. */
export type CertificateTable = {
  host: string
  source: 'acme' | 'uploaded'
  /** The certificate and those that follow it, as PEM. */
  chain: string
  sealed_key: string
  /** The authority it was ordered from; null for one that somebody uploaded. */
  directory: string | null
  /** Grows with every change of any certificate, so that a node reads only what is new to it. */
  revision: number
}

/** A failed order, and when to try again. */
export type CertificateAttemptTable = {
  host: string
  failures: number
  reason: string
  is_rate_limited: 0 | 1
  next_try_at: string
  directory: string | null
}

/** An order of a certificate for a host of this owner. Only those of the last week are kept. */
type CertificateOrderTable = { id: Generated<number>; owner_id: number; host: Generated<string>; ordered_at: string }

/** There is one, with the name `account`. */
type AcmeAccountTable = { name: string; sealed_key: string }

/** What every edge answers while a certificate is ordered. */
type AcmeChallengeTable = { id: Generated<number>; token: string; answer: string; created_at: string }

export type CertificateTables = {
  certificate: CertificateTable
  certificate_attempt: CertificateAttemptTable
  certificate_order: CertificateOrderTable
  acme_account: AcmeAccountTable
  acme_challenge: AcmeChallengeTable
}
