/** The queue is full. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull'
}

type Asked = { isFirst?: boolean }

/** Limits how many run at once. The others wait in order; those with `isFirst` wait in a queue of their own, ahead of the rest. */
export function createSemaphore(places: number, { mostWaiting = Number.POSITIVE_INFINITY } = {}) {
  const first: (() => void)[] = []
  const others: (() => void)[] = []
  let free = places

  /** Hands the slot directly to the next in line, so that no newcomer can take it. */
  function release(): void {
    const next = first.shift() ?? others.shift()
    if (next) next()
    else free += 1
  }

  /** Resolves to a function that frees the slot. Call it exactly once. */
  async function acquire({ isFirst = false }: Asked = {}): Promise<() => void> {
    if (free > 0) free -= 1
    else {
      const queue = isFirst ? first : others
      if (queue.length >= mostWaiting) throw new SemaphoreFull('too many are waiting')
      await new Promise<void>((resolve) => queue.push(resolve))
    }
    return release
  }

  async function run<Result>(work: () => Promise<Result>, asked?: Asked): Promise<Result> {
    const leave = await acquire(asked)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return { acquire, run }
}
