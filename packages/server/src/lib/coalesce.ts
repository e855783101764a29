/** Runs one at a time. Calls during a run share the next run, which sees everything that happened before it starts. */
export function coalesce<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Result> | undefined

  function begin(): Promise<Result> {
    next = undefined
    const mine = run()
    running = mine
    return mine
  }

  return () => {
    next ??= running.then(begin, begin)
    return next
  }
}
