/** How long requests of one person may begin within one turn of the event loop. Ordinary ones take a fraction of a millisecond. */
const SHARE_MS = 5
/** How much may begin as it arrives, before any of it has done anything: this many requests, or a fraction of them with long bodies. */
const SHARE = 32
const LONG_BODY = { bytes: 8 * 1024, counts: 8 }

type Lane = { since: number; begun: number; readonly waiting: (() => void)[] }

/** After everything that was begun has gone as far as it gets without waiting for something. */
function afterWhatBegan(then: () => void): void {
  queueMicrotask(() => process.nextTick(then))
}

/**
 * One thread handles all requests, and all that arrived together before anything else is read. So that a hundred costly requests of one
 * person do not hold up everybody for the sum of their times, those beyond a share wait for later turns of the event loop. Each turn begins
 * them one after the other until their share of time is used up. In between, the requests of others are read and begin.
 */
export function createFairTurns(now: () => number = () => performance.now()) {
  /** Those who began something in this turn. */
  const lanes = new Map<number, Lane>()

  /** Resolves when a request of this person may begin; true if it had to wait. */
  async function begin(personId: number, bodyBytes = 0): Promise<boolean> {
    const lane = lanes.get(personId)
    const weight = bodyBytes < LONG_BODY.bytes ? 1 : LONG_BODY.counts
    if (lane === undefined) {
      if (lanes.size === 0) setImmediate(nextTurn)
      lanes.set(personId, { since: now(), begun: weight, waiting: [] })
      return false
    }
    if (lane.waiting.length === 0 && lane.begun + weight <= SHARE && now() - lane.since < SHARE_MS) {
      lane.begun += weight
      return false
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    lane.waiting.push(resolve)
    await promise
    return true
  }

  function beginWaiting(lane: Lane): void {
    const start = lane.waiting.shift()
    if (start === undefined) return
    start()
    afterWhatBegan(() => {
      if (now() - lane.since < SHARE_MS) beginWaiting(lane)
    })
  }

  function nextTurn(): void {
    for (const [personId, lane] of lanes) {
      if (lane.waiting.length === 0) lanes.delete(personId)
      Object.assign(lane, { since: now(), begun: 1 })
      beginWaiting(lane)
    }
    if (lanes.size > 0) setImmediate(nextTurn)
  }

  return { begin }
}

export type FairTurns = ReturnType<typeof createFairTurns>
