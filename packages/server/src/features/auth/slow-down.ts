import { createHmac } from 'node:crypto'
import { backoffMs } from '../../lib/retry.ts'

const FREE_TRIES = 5
const DELAY = { firstMs: 100, longestMs: 3000 }
const FORGET_AFTER_MS = 15 * 60 * 1000
const SLOTS = 2 ** 18
const MOST_FAILURES = 255

/**
 * How long the next attempt of an account must wait after failures. The counters are a table of fixed size, and the slot of an account is
 * given by a keyed hash of its name: nothing is evicted, so nobody can reset a counter by trying other names, and nobody can target the
 * slot of somebody else. Accounts that share a slot by chance share its delay; the cost of hashing limits all attempts together to so few
 * that this hardly ever matters.
 */
export function createSlowDown({ secret, now }: { secret: string; now: () => Date }) {
  const failures = new Uint8Array(SLOTS)
  const failedAt = new Float64Array(SLOTS)

  function slotOf(name: string): number {
    return createHmac('sha256', secret).update(name).digest().readUInt32LE() % SLOTS
  }

  function failuresOf(slot: number): number {
    const isForgotten = now().getTime() - (failedAt[slot] ?? 0) > FORGET_AFTER_MS
    return isForgotten ? 0 : (failures[slot] ?? 0)
  }

  /** The rest of the delay since the last failure, or 0 if it has passed. */
  function waitMs(slot: number): number {
    const count = failuresOf(slot)
    if (count < FREE_TRIES) return 0
    const delay = backoffMs(count - FREE_TRIES + 1, DELAY)
    const passed = now().getTime() - (failedAt[slot] ?? 0)
    return Math.max(0, Math.min(delay, delay - passed)) // must not grow if the clock is set back
  }

  function failed(slot: number): void {
    failures[slot] = Math.min(MOST_FAILURES, failuresOf(slot) + 1)
    failedAt[slot] = now().getTime()
  }

  function succeeded(slot: number): void {
    failures[slot] = 0
  }

  return { slotOf, waitMs, failed, succeeded }
}

export type SlowDown = ReturnType<typeof createSlowDown>
