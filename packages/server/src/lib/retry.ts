import { setTimeout as sleep } from 'node:timers/promises'

type Polling<Value> = { until: (value: Value) => boolean; everyMs: number; limitMs: number; signal?: AbortSignal }

/** Reads a value until it is the right one or the limit has passed, at least once. Returns the value read last. */
export async function poll<Value>(read: () => Promise<Value>, { until, everyMs, limitMs, signal }: Polling<Value>): Promise<Value> {
  const giveUpAt = performance.now() + limitMs
  for (;;) {
    const value = await read()
    if (until(value) || performance.now() >= giveUpAt) return value
    await sleep(everyMs, undefined, signal && { signal })
  }
}

type Retrying = {
  isTransient: (cause: unknown) => boolean
  /** How long to wait after the n-th failure. Undefined gives up. */
  delayMs: (failures: number) => number | undefined
  /** Before the delay after the n-th failure. */
  onWait?: (failures: number) => void
  signal?: AbortSignal | undefined
}

/** Tries until it works. Throws the last error when it is permanent or there is no further delay. */
export async function retry<Result>(attempt: () => Promise<Result>, { isTransient, delayMs, onWait, signal }: Retrying): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt()
    } catch (cause) {
      const delay = delayMs(failures)
      if (delay === undefined || !isTransient(cause)) throw cause
      onWait?.(failures)
      await sleep(delay, undefined, signal && { signal })
    }
  }
}

/** The delay after the n-th failure in a row: it doubles each time, up to the longest. */
export function backoffMs(failures: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1))
}

/** The same delay each time, until the limit has passed. The time counts from this call. */
export function steadily(everyMs: number, limitMs: number): () => number | undefined {
  const giveUpAt = performance.now() + limitMs
  return () => (performance.now() > giveUpAt ? undefined : everyMs)
}
