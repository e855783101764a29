export type InTurn<Key> = <Result>(key: Key, work: () => Promise<Result>) => Promise<Result>

/** One at a time for each key, in order. Different keys never wait for each other. */
export function createTurns<Key>(): InTurn<Key> {
  const last = new Map<Key, Promise<unknown>>()

  return async function inTurn<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const ended = mine.catch(() => undefined) // the next one runs whether this one failed or not
    last.set(key, ended)
    try {
      return await mine
    } finally {
      if (last.get(key) === ended) last.delete(key)
    }
  }
}
