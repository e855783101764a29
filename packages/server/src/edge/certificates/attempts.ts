import { createSemaphore } from '../../lib/semaphore.ts'
import type { CertificateAttemptTable } from '../../store/certificate-tables.ts'
import type { Db } from '../../store/database.ts'
import { attemptsRevision, deleteAttempt, listAttempts, moveAttempt, putAttempt } from './certificates-store.ts'

export type IssueAttempt = {
  readonly failures: number
  readonly reason: string
  readonly isRateLimited: boolean
  readonly nextTryAt: number
  /** The authority it was ordered from; attempts at another one do not count. */
  readonly directory?: string
}

const MAX_REASON = 1_000

/** Failed attempts and when they may be retried, stored so that a restart does not cause a new request to the authority. */
export function createIssueAttempts({
  db,
  adopt,
}: {
  db: Db /** Takes over what an earlier version stored. */
  adopt: () => Promise<boolean>
}) {
  const attempts = new Map<string, IssueAttempt>()
  let seen = -1
  /** Otherwise a look that began before a change was stored would forget it. */
  const inTurn = createSemaphore(1).run

  /** Reads what changed, also at other nodes. Returns whether anything did. */
  async function follow(): Promise<boolean> {
    await adopt()
    const revision = await attemptsRevision(db)
    if (revision === seen) return false
    const rows = await listAttempts(db)
    attempts.clear()
    for (const row of rows) attempts.set(row.host, attemptOf(row))
    seen = revision
    return true
  }

  /** After a change of our own only that one is new, unless another node changed something as well. */
  function noteOwn(revision: number): void {
    if (seen === revision - 1) seen = revision
  }

  async function set(host: string, given: IssueAttempt): Promise<void> {
    const attempt = { ...given, reason: given.reason.slice(0, MAX_REASON) }
    attempts.set(host, attempt)
    noteOwn(await db.transaction(async (tx) => await putAttempt(tx, attemptRow(host, attempt))))
  }

  /** Another node may know more of it by now: only the time is changed, and the rate limit of this authority still applies. */
  async function retryAt(host: string, { time, directory }: { time: Date; directory: string }): Promise<void> {
    const moved = { host, next_try_at: time.toISOString(), directory }
    const { attempt, revision } = await db.transaction(async (tx) => await moveAttempt(tx, moved))
    if (attempt) attempts.set(host, attemptOf(attempt))
    else attempts.delete(host)
    if (revision !== undefined) noteOwn(revision)
  }

  async function clear(host: string): Promise<void> {
    if (!attempts.delete(host)) return
    noteOwn(await db.transaction(async (tx) => await deleteAttempt(tx, host), { mayUseReserve: true }))
  }

  return {
    follow: async () => await inTurn(follow),
    get: (host: string) => attempts.get(host),
    hosts: () => [...attempts.keys()],
    set: async (host: string, given: IssueAttempt) => await inTurn(async () => await set(host, given)),
    retryAt: async (host: string, at: Parameters<typeof retryAt>[1]) => await inTurn(async () => await retryAt(host, at)),
    clear: async (host: string) => await inTurn(async () => await clear(host)),
  }
}

export type IssueAttempts = ReturnType<typeof createIssueAttempts>

export function attemptRow(host: string, attempt: IssueAttempt): CertificateAttemptTable {
  return {
    host,
    failures: attempt.failures,
    reason: attempt.reason,
    is_rate_limited: attempt.isRateLimited ? 1 : 0,
    next_try_at: new Date(attempt.nextTryAt).toISOString(),
    directory: attempt.directory ?? null,
  }
}

function attemptOf(row: CertificateAttemptTable): IssueAttempt {
  return {
    failures: row.failures,
    reason: row.reason,
    isRateLimited: row.is_rate_limited === 1,
    nextTryAt: Date.parse(row.next_try_at),
    ...(row.directory !== null && { directory: row.directory }),
  }
}
