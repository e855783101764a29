import type { IssueAttempts } from './attempts.ts'
import { pauseMs } from './schedule.ts'

/** The line of the account among the attempts. No host has this name. */
export const ACCOUNT = '*'

export type Pause = { readonly reason: string; readonly until: Date }

/**
 * While the authority limits the whole account, nothing is ordered for anybody. After that one order at a time is tried until one
 * succeeds. It is kept with the attempts, so all nodes and the next process know it.
 */
export function createAccountPause(deps: { attempts: IssueAttempts; directory: () => string; now: () => Date }) {
  const { attempts, directory, now } = deps

  function last() {
    const attempt = attempts.get(ACCOUNT)
    return attempt?.directory === directory() ? attempt : undefined
  }

  function current(): Pause | undefined {
    const attempt = last()
    if (attempt === undefined || now().getTime() >= attempt.nextTryAt) return undefined
    return { reason: attempt.reason, until: new Date(attempt.nextTryAt) }
  }

  async function begin({ reason, retryAfterMs }: { reason: string; retryAfterMs: number | undefined }): Promise<void> {
    const before = last()
    // several orders that were under way together are told once
    const failures = (before?.failures ?? 0) + (current() ? 0 : 1)
    const until = now().getTime() + pauseMs(failures, retryAfterMs)
    const nextTryAt = Math.max(until, before?.nextTryAt ?? 0)
    await attempts.set(ACCOUNT, { failures, reason, isRateLimited: true, nextTryAt, directory: directory() })
  }

  /** An order that began before the pause says nothing about it. */
  async function noteSuccess(): Promise<void> {
    if (last() !== undefined && current() === undefined) await attempts.clear(ACCOUNT)
  }

  return { current, isTrying: () => last() !== undefined, begin, noteSuccess }
}

export type AccountPause = ReturnType<typeof createAccountPause>
