/** There was no free slot and the queue was full, or the wait took too long. */
export class LimiterFull extends Error {
  override readonly name = 'LimiterFull'
}

export type Limits = {
  /** How many run at once: in total, and per key. */
  running: number
  runningPerKey: number
  /** How many wait: in total, and per key. More are refused at once. */
  waiting: number
  waitingPerKey: number
  waitMs: number
}

type Lane = { running: number; queue: (() => void)[] }

/**
 * Limits how much runs at once. The rest waits for a limited time in a limited queue. Keys take turns, so that a busy one cannot shut out
 * the others.
 */
export function createLimiter(limits: Limits) {
  const lanes = new Map<string | number, Lane>() // in order of whose turn is next
  let running = 0
  let waiting = 0

  async function run<Result>(key: string | number, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    const lane = lanes.get(key) ?? { running: 0, queue: [] }
    lanes.set(key, lane)
    try {
      if (running < limits.running && lane.running < limits.runningPerKey) take(key, lane)
      else await turnOf(lane, signal)
      try {
        return await work()
      } finally {
        giveBack(key, lane)
      }
    } finally {
      if (lane.running === 0 && lane.queue.length === 0) lanes.delete(key)
    }
  }

  function take(key: string | number, lane: Lane): void {
    lane.running += 1
    running += 1
    putLast(key, lane)
  }

  function giveBack(key: string | number, lane: Lane): void {
    lane.running -= 1
    running -= 1
    putLast(key, lane) // those that arrived while it ran were waiting for it to end
    startNext()
  }

  function putLast(key: string | number, lane: Lane): void {
    lanes.delete(key)
    lanes.set(key, lane)
  }

  async function turnOf(lane: Lane, signal: AbortSignal | undefined): Promise<void> {
    if (waiting >= limits.waiting || lane.queue.length >= limits.waitingPerKey) throw new LimiterFull('too many are waiting')
    waiting += 1
    const onLeave = () => {
      waiting -= 1
    }
    await waitIn(lane.queue, { waitMs: limits.waitMs, signal, onLeave })
  }

  function startNext(): void {
    for (const [key, lane] of lanes) {
      if (lane.running >= limits.runningPerKey) continue
      const start = lane.queue.shift()
      if (start === undefined) continue
      waiting -= 1
      take(key, lane) // right now and not when its promise resolves: the slot must not be given away twice
      return start()
    }
  }

  return { run }
}

export type Limiter = ReturnType<typeof createLimiter>

type Waiting = { waitMs: number; signal: AbortSignal | undefined; onLeave: () => void }

/** Resolves when its turn comes. Leaves the queue after a timeout or an abort. */
async function waitIn(queue: (() => void)[], { waitMs, signal, onLeave }: Waiting): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  queue.push(resolve)
  const leave = (reason: unknown) => {
    const place = queue.indexOf(resolve)
    if (place === -1) return // it has just got its turn
    queue.splice(place, 1)
    onLeave()
    reject(reason)
  }
  const timer = setTimeout(() => leave(new LimiterFull('the wait took too long')), waitMs)
  const onAbort = () => leave(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
