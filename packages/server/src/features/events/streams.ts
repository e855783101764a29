import type { BerthEvent } from '@berth/contract'
import { type Caller, isStaff } from '../../domain/caller.ts'
import { lastEventSeq } from '../../events/event-log.ts'
import type { Feed } from '../../events/feed.ts'
import type { Streams } from '../../http/websocket.ts'
import type { Db } from '../../store/database.ts'

type Deps = { db: Db; feed: Feed; projectsOf: (userId: number) => Promise<ReadonlySet<number>> }

/** A reader further behind than this continues at the newest event: then the number in `ready` differs from the requested one. */
const MOST_BEHIND = 5000

function mayHear(caller: Caller, event: BerthEvent, projects: ReadonlySet<number>): boolean {
  if (event.type === 'project.members_changed' && event.data.removedUserIds.includes(caller.id)) return true
  if (isStaff(caller)) return true
  if (event.type === 'user.changed') return event.data.userId === caller.id
  if (event.type === 'project.deleted') return event.data.memberIds?.includes(caller.id) === true
  return 'projectId' in event.data && projects.has(event.data.projectId)
}

/** Everything that changes and that this person may see. */
export function createLiveEvents(deps: Deps) {
  async function startOf(after: number | undefined): Promise<number> {
    const newest = await lastEventSeq(deps.db)
    return after === undefined || newest - after > MOST_BEHIND ? newest : after
  }

  return {
    events: async ({ caller, input, send, room, signal }) => {
      const cursor = await startOf(input.after)
      send({ type: 'ready', timestamp: new Date().toISOString(), seq: cursor, data: {} })
      for await (const batch of deps.feed.follow(cursor, signal)) {
        const projects = isStaff(caller) ? new Set<number>() : await deps.projectsOf(caller.id)
        for (const event of batch)
          if (mayHear(caller, event, projects)) send({ type: event.type, timestamp: event.at, seq: event.seq, data: event.data })
        await room() // before the next batch, so that a client that does not read cannot fill the memory
      }
    },
  } satisfies Partial<Streams>
}
