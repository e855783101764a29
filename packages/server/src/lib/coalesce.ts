import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Runs one at a time. Calls during a run share the next run, which sees everything that happened before it starts. It belongs to none of
 * them, so it runs in the async context in which this was created.
 */
export function coalesce<Result>(run: () => Promise<Result>): () => Promise<Result> {
  const inOwnContext = AsyncLocalStorage.snapshot()
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Result> | undefined

  function begin(): Promise<Result> {
    next = undefined
    const mine = inOwnContext(run)
    running = mine
    return mine
  }

  return () => {
    next ??= running.then(begin, begin)
    return next
  }
}

/** The same for each key, of which nothing stays once nobody waits for it. */
export function coalesceByKey<Key, Result>(run: (key: Key) => Promise<Result>): (key: Key) => Promise<Result> {
  const inOwnContext = AsyncLocalStorage.snapshot()
  const lanes = new Map<Key, { ask: () => Promise<Result>; waiting: number }>()

  return async (key) => {
    const lane = lanes.get(key) ?? { ask: inOwnContext(() => coalesce(async () => await run(key))), waiting: 0 }
    lanes.set(key, lane)
    lane.waiting += 1
    try {
      return await lane.ask()
    } finally {
      lane.waiting -= 1
      if (lane.waiting === 0) lanes.delete(key)
    }
  }
}
