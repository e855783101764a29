import type { BerthEvent } from '@berth/contract'
import { lastEventSeq } from '../../events/event-log.ts'
import { follow } from '../../events/feed.ts'
import type { Nudge } from '../../events/nudge.ts'
import { type Caller, isStaff } from '../../http/caller.ts'
import type { Streams } from '../../http/websocket.ts'
import type { Db } from '../../store/database.ts'

type Deps = { db: Db; nudge: Nudge; isMember: (projectId: number, userId: number) => Promise<boolean> }

/** Everything that changes and that this person may see. */
export function createLiveEvents(deps: Deps) {
  async function mayHear(caller: Caller, event: BerthEvent): Promise<boolean> {
    if (event.type === 'project.members_changed' && event.data.removedUserIds.includes(caller.id)) return true
    if (isStaff(caller)) return true
    if (event.type === 'user.changed') return event.data.userId === caller.id
    if (event.type === 'project.deleted') return true // its members are gone with it; an id tells nothing
    return 'projectId' in event.data && (await deps.isMember(event.data.projectId, caller.id))
  }

  return {
    events: async ({ caller, input, send, signal }) => {
      const cursor = input.after ?? (await lastEventSeq(deps.db))
      send({ type: 'ready', timestamp: new Date().toISOString(), seq: cursor, data: {} })
      for await (const event of follow(deps, cursor, signal)) {
        if (await mayHear(caller, event)) send({ type: event.type, timestamp: event.at, seq: event.seq, data: event.data })
      }
    },
  } satisfies Partial<Streams>
}
