import { createHmac } from 'node:crypto'
import { backoffMs } from '../../lib/retry.ts'

const FREE_TRIES = 5
const DELAY = { firstMs: 100, longestMs: 3000 }
export const FORGET_AFTER_MS = 15 * 60 * 1000
const SLOTS = 2 ** 18
const MOST_FAILURES = 255

export type Failures = { readonly count: number; readonly lastAt: number }

export function slotIn(secret: string, name: string): number {
  return createHmac('sha256', secret).update(name).digest().readUInt32LE() % SLOTS
}

function recent({ count, lastAt }: Failures, now: Date): number {
  return now.getTime() - lastAt > FORGET_AFTER_MS ? 0 : count
}

export function afterFailure(before: Failures, now: Date): Failures {
  return { count: Math.min(MOST_FAILURES, recent(before, now) + 1), lastAt: now.getTime() }
}

/** The rest of the delay since the last failure, or 0 if it has passed. */
export function delayMs(failures: Failures, now: Date): number {
  const count = recent(failures, now)
  if (count < FREE_TRIES) return 0
  const delay = backoffMs(count - FREE_TRIES + 1, DELAY)
  const passed = now.getTime() - failures.lastAt
  return Math.max(0, Math.min(delay, delay - passed)) // must not grow if the clock is set back
}

/**
 * How long the next attempt of an account must wait after failures. The counters are a table of fixed size, and the slot of an account is
 * given by a keyed hash of its name: nothing is evicted, so nobody can reset a counter by trying other names, and nobody can target the
 * slot of somebody else. Accounts that share a slot by chance share its delay; the cost of hashing limits all attempts together to so few
 * that this hardly ever matters.
 */
export function createSlowDown({ secret, now }: { secret: string; now: () => Date }) {
  const failures = new Uint8Array(SLOTS)
  const failedAt = new Float64Array(SLOTS)

  const of = (slot: number): Failures => ({ count: failures[slot] ?? 0, lastAt: failedAt[slot] ?? 0 })

  function failed(slot: number): void {
    const { count, lastAt } = afterFailure(of(slot), now())
    failures[slot] = count
    failedAt[slot] = lastAt
  }

  function succeeded(slot: number): void {
    failures[slot] = 0
  }

  return { slotOf: (name: string) => slotIn(secret, name), waitMs: (slot: number) => delayMs(of(slot), now()), failed, succeeded }
}

/** In memory, or in the database. */
export type SlowDown = {
  slotOf: (name: string) => number
  failed: (slot: number) => void | Promise<void>
  succeeded: (slot: number) => void | Promise<void>
}
