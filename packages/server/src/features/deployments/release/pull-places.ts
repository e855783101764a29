import { createLimiter } from '../../../lib/limiter.ts'
import type { Context } from '../run/stage.ts'

/** In total there are as many as deployments that run. What waits ends with its deployment. */
const PLACES = { running: 10_000, runningPerKey: 2, waiting: 10_000, waitingPerKey: 10_000, waitMs: 24 * 3600_000 }
const SAY_AFTER_MS = 1000
/** Waiting is no silence of the stage. */
const ALIVE_MS = 60_000
const NOBODY = 0

type Waiting = Pick<Context, 'signal' | 'active'> & Partial<Pick<Context, 'say'>>
export type InPullPlace = <Result>(projectId: number, waiting: Waiting, pull: () => Promise<Result>) => Promise<Result>

/** The owner of a project pulls two images at a time, in all projects together, so that the engine has places for others. */
export function createPullPlaces({ ownerOf }: { ownerOf: (projectId: number) => Promise<number | undefined> }): InPullPlace {
  const limiter = createLimiter(PLACES)

  return async (projectId, { signal, active, say }, pull) => {
    const owner = (await ownerOf(projectId)) ?? NOBODY
    const sentence = setTimeout(() => say?.('Waiting until another image of the same owner is pulled'), SAY_AFTER_MS)
    const alive = setInterval(active, ALIVE_MS)
    const begin = () => {
      clearTimeout(sentence)
      clearInterval(alive)
    }
    try {
      return await limiter.run(
        owner,
        async () => {
          begin()
          return await pull()
        },
        signal,
      )
    } finally {
      begin()
    }
  }
}
