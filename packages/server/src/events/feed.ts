import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BerthEvent } from '@berth/contract'
import { createSemaphore } from '../lib/semaphore.ts'
import type { Db } from '../store/database.ts'
import { eventsAfter } from './event-log.ts'
import type { Nudge } from './nudge.ts'

/**
 * Every event after a cursor, past and future, in order, each once, in batches. The log is the truth and a nudge only says
 * "look again". The database answers without leaving the thread, so one batch is read per turn of the event loop, however
 * many readers there are: everything else gets its turn between two batches.
 */
export function createFeed(deps: { db: Db; nudge: Nudge }) {
  const oneAtATime = createSemaphore(1)

  async function read(position: number): Promise<readonly BerthEvent[]> {
    const batch = await eventsAfter(deps.db, position)
    await nextTurn()
    return batch
  }

  async function* follow(cursor: number, signal: AbortSignal): AsyncGenerator<readonly BerthEvent[]> {
    let position = cursor
    while (!signal.aborted) {
      const seen = deps.nudge.count() // before the read: an append during it must not be missed
      const batch = await oneAtATime.run(async () => (signal.aborted ? [] : await read(position)))
      const last = batch.at(-1)
      if (last === undefined) {
        await deps.nudge.changedSince(seen, signal)
        continue
      }
      position = last.seq
      yield batch
    }
  }

  return { follow }
}

export type Feed = ReturnType<typeof createFeed>
