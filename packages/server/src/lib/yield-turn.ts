/**
 * For work that consists of many short steps: resolves at once while this turn of the event loop is young, and otherwise in the next one,
 * so that requests that arrived meanwhile are answered first. Awaiting alone does not do that: a chain of promises runs to its end.
 */
export function createYieldTurn(afterMs: number): () => Promise<void> {
  let began: number | undefined
  return async () => {
    if (began === undefined) {
      began = performance.now()
      setImmediate(() => {
        began = undefined
      })
      return
    }
    if (performance.now() - began >= afterMs) await new Promise((resolve) => setImmediate(resolve))
  }
}
