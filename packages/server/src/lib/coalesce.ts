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
