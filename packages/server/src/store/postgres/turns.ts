import { createSemaphore } from '../../lib/semaphore.ts'
import { DatabaseLost } from '../database-lost.ts'

const LOOK_EVERY_MS = 250

/**
 * One transaction at a time. If a statement gets no answer, those that wait behind it fail before it gives up itself: otherwise all of them
 * would wait for it, one after another.
 */
export function createTurns({ stuckAfterMs, onStuck }: { stuckAfterMs: number; onStuck: () => void }) {
  const oneAtATime = createSemaphore(1)
  let askedAt: number | undefined

  /** Runs a statement of whoever has the turn. */
  async function ask<Result>(statement: () => Promise<Result>): Promise<Result> {
    askedAt = performance.now()
    try {
      return await statement()
    } finally {
      askedAt = undefined
    }
  }

  const isStuck = () => askedAt !== undefined && performance.now() - askedAt > stuckAfterMs

  /** Resolves to a function that ends the turn. */
  async function take(): Promise<() => void> {
    const turn = Promise.withResolvers<() => void>()
    let hasGivenUp = false
    const look = setInterval(() => {
      if (!isStuck()) return
      hasGivenUp = true
      onStuck()
      turn.reject(new DatabaseLost('a statement before this one got no answer'))
    }, LOOK_EVERY_MS)
    void oneAtATime.acquire().then((leave) => (hasGivenUp ? leave() : turn.resolve(leave)))
    return await turn.promise.finally(() => clearInterval(look))
  }

  return { ask, take }
}
