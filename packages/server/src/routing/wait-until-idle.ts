import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from '../lib/retry.ts'

const LOOK_MS = 200
/** A request that was just routed may not be counted yet. */
const SETTLE_MS = 300

/** Waits until nothing is in flight or the limit has passed; an edge that does not answer counts as busy. */
export async function waitUntilIdle(inFlight: () => Promise<number>, options: { limitMs: number; signal: AbortSignal }): Promise<void> {
  const { limitMs, signal } = options
  await sleep(Math.min(SETTLE_MS, limitMs), undefined, { signal })
  const count = () => inFlight().catch(() => 1)
  await poll(count, { until: (requests) => requests === 0, everyMs: LOOK_MS, limitMs: limitMs - SETTLE_MS, signal })
}
