import { lastEventSeq } from '../events/event-log.ts'
import type { Reader } from '../store/database.ts'

export const LOOK_EVERY_MS = 2000

/**
 * Other nodes change the rows that this one keeps in memory. Each such change is in the event log, so this looks there: when the
 * database says that another node has written, and regularly, in case that was not heard.
 */
export function createFollowOthers({ db, onChanged }: { db: Reader; onChanged: () => Promise<void> }) {
  let seen = -1
  return async function look(): Promise<void> {
    const newest = await lastEventSeq(db)
    if (newest === seen) return
    await onChanged()
    seen = newest // after it: if it fails, the next look tries again
  }
}
