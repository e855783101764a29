/** As many wait for a place as may. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull'
}

type Asked = { isFirst?: boolean }

/** So many run at once. The others wait, in the order they came; those that ask to be first wait in a queue of their own, ahead of the rest. */
export function createSemaphore(places: number, { mostWaiting = Number.POSITIVE_INFINITY } = {}) {
  const first: (() => void)[] = []
  const others: (() => void)[] = []
  let free = places

  /** The place goes straight to the next: nobody who comes in between can take it. */
  function release(): void {
    const next = first.shift() ?? others.shift()
    if (next) next()
    else free += 1
  }

  /** What it resolves to gives the place back, and must be called once. */
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
