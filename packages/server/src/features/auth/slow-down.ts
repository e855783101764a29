import { createHmac } from 'node:crypto'
import { backoffMs } from '../../lib/retry.ts'

const FREE_TRIES = 5
const DELAY = { firstMs: 100, longestMs: 3000 }
const FORGET_AFTER_MS = 15 * 60 * 1000
const SLOTS = 2 ** 18
const MOST_FAILURES = 255

/**
 * How long the next try of an account has to wait after those that failed. The counters are a table of fixed size, in which
 * an account has the slot that a secret hash of its name gives: nothing is ever pushed out, so nobody can clear a counter by
 * trying other names, and nobody can aim at the slot of somebody else. Names that share one by chance share its wait; hashing
 * limits the tries of everybody together to so few that a slot hardly ever fills by chance.
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

  /** What is left of the wait since the last failure: whoever comes later than that does not wait at all. */
  function waitMs(slot: number): number {
    const count = failuresOf(slot)
    if (count < FREE_TRIES) return 0
    const delay = backoffMs(count - FREE_TRIES + 1, DELAY)
    const passed = now().getTime() - (failedAt[slot] ?? 0)
    return Math.max(0, Math.min(delay, delay - passed)) // a clock that was set back must not make it longer
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
