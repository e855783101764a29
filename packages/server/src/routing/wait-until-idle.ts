import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 200
/** A request that was routed a moment ago may not be counted yet. */
const SETTLE_MS = 300

/** Waits until nothing is in flight, or until the limit; an edge that does not say counts as busy. */
export async function waitUntilIdle(inFlight: () => Promise<number>, options: { limitMs: number; signal: AbortSignal }): Promise<void> {
  const giveUpAt = performance.now() + options.limitMs
  await sleep(Math.min(SETTLE_MS, options.limitMs), undefined, { signal: options.signal })
  while (performance.now() < giveUpAt) {
    const count = await inFlight().catch(() => 1)
    if (count === 0) return
    await sleep(LOOK_MS, undefined, { signal: options.signal })
  }
}
