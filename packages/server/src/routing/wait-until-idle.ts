import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from '../lib/retry.ts'

const LOOK_MS = 200
/** A request that was routed a moment ago may not be counted yet. */
const SETTLE_MS = 300

/** Waits until nothing is in flight, or until the limit; an edge that does not say counts as busy. */
export async function waitUntilIdle(inFlight: () => Promise<number>, options: { limitMs: number; signal: AbortSignal }): Promise<void> {
  const { limitMs, signal } = options
  await sleep(Math.min(SETTLE_MS, limitMs), undefined, { signal })
  const count = () => inFlight().catch(() => 1)
  await poll(count, { until: (requests) => requests === 0, everyMs: LOOK_MS, limitMs: limitMs - SETTLE_MS, signal })
}
