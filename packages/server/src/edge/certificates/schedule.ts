const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Delays after the first, second, … failure in a row; the last one repeats. From the third on an hour or more; with no failure yet, a
 * minute.
 */
const DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS]

export type IssueFailure = { readonly failures: number; readonly isRateLimited: boolean; readonly retryAfterMs?: number }

/** `jitter` is between 0 and 1 and lengthens by up to a tenth, so that many hosts are not retried in the same second. */
export function nextTryDelayMs(failure: IssueFailure, jitter: number): number {
  const usual = DELAYS_MS[Math.min(failure.failures, DELAYS_MS.length) - 1] ?? MINUTE_MS
  const least = failure.isRateLimited ? Math.max(HOUR_MS, failure.retryAfterMs ?? 0) : 0
  return Math.round(Math.max(usual, least) * (1 + jitter / 10))
}

const LONGEST_PAUSE_MS = 3 * HOUR_MS

/**
 * How long all orders wait after the authority limited the account. Never longer than three hours, whatever it says: it may have meant
 * one host in words that we do not know, and afterwards only one order is tried.
 */
export function pauseMs(failures: number, retryAfterMs: number | undefined): number {
  return Math.min(retryAfterMs ?? 5 * MINUTE_MS * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE_MS)
}

/** A certificate is renewed when two thirds of its life are over: thirty days ahead for one of ninety. */
export function renewAt(life: { notBefore: Date; notAfter: Date }): Date {
  const from = life.notBefore.getTime()
  return new Date(from + ((life.notAfter.getTime() - from) * 2) / 3)
}
