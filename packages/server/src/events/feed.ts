import type { BerthEvent } from '@berth/contract'
import type { Db } from '../store/database.ts'
import { eventsAfter } from './event-log.ts'
import type { Nudge } from './nudge.ts'

/** Every event after `cursor`, past and future, in order, each once. The log is the truth and a nudge only says "look again". */
export async function* follow(deps: { db: Db; nudge: Nudge }, cursor: number, signal: AbortSignal): AsyncGenerator<BerthEvent> {
  let position = cursor
  while (!signal.aborted) {
    const seen = deps.nudge.count() // before the read: an append during it must not be missed
    const batch = await eventsAfter(deps.db, position)
    for (const event of batch) {
      position = event.seq
      yield event
    }
    if (batch.length === 0) await deps.nudge.changedSince(seen, signal)
  }
}
