/** Runs one at a time. Calls that come during a run share the next one, which sees everything that has happened by then. */
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
