import { setTimeout as sleep } from 'node:timers/promises'

type Looking<Found> = {
  until: (found: Found) => boolean
  everyMs: number
  forMs: number
  signal?: AbortSignal
}

/** Looks again and again until it is as wanted, and gives what was found; when the time is over, what was found last. Looks once at the least. */
export async function poll<Found>(look: () => Promise<Found>, { until, everyMs, forMs, signal }: Looking<Found>): Promise<Found> {
  const giveUpAt = performance.now() + forMs
  for (;;) {
    const found = await look()
    if (until(found) || performance.now() > giveUpAt) return found
    await pause(everyMs, signal)
  }
}

type Trying = {
  /** Whether a later try may succeed. */
  mayPass: (cause: unknown) => boolean
  /** How long to wait after the n-th failure; undefined gives up. */
  delayMs: (failures: number) => number | undefined
  forMs?: number
  signal?: AbortSignal | undefined
  onFirstFailure?: () => void
}

/** Tries until it works. What is thrown in the end is the last failure. */
export async function retry<Result>(attempt: () => Promise<Result>, trying: Trying): Promise<Result> {
  const giveUpAt = performance.now() + (trying.forMs ?? Number.POSITIVE_INFINITY)
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt()
    } catch (cause) {
      const delayMs = trying.delayMs(failures)
      if (delayMs === undefined || !trying.mayPass(cause) || trying.signal?.aborted || performance.now() > giveUpAt) throw cause
      if (failures === 1) trying.onFirstFailure?.()
      await pause(delayMs, trying.signal)
    }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await sleep(ms, undefined, signal && { signal })
}

/** How long to wait after the n-th failure in a row: twice as long each time, up to the longest. */
export function backoffMs(failures: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1))
}
