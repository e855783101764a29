import { setTimeout as sleep } from 'node:timers/promises'
import type { InTurn } from '../../../lib/turns.ts'
import type { LiveLog } from './live-log.ts'
import { parseLines } from './log-lines.ts'
import type { SharedLogs } from './shared-logs.ts'

type Deps = {
  shared: Pick<SharedLogs, 'catchUp' | 'partAt' | 'look'>
  deploymentId: number
  path: string
  /** The entry that followers have now: it is a new one after a time without any. */
  live: () => LiveLog
  followers: LogFollowers
  /** Whether this node writes the log itself, so that there is nothing to copy. */
  isOurs: () => boolean
  /** The followers have been told lines that are not in the log: they have to begin again. */
  onCut: () => void
  /** Called once until it works again. */
  onProblem: (cause: unknown) => void
  /** Called at the moment from which a new follower needs a new copy. */
  onEnd: () => void
  /** One at a time changes the file. */
  inTurn: InTurn<number>
}

const LOOK_EVERY_MS = 500
/** After the end of a deployment: the node that wrote the last lines may be gone. */
const END_WITHIN_MS = 10_000

/** Who follows a log on this node. When the last one has left, only the last lines are missing, unless somebody comes again. */
export function createLogFollowers() {
  let [count, endAt, ended] = [0, Number.POSITIVE_INFINITY, new AbortController()]
  return {
    join(): void {
      count += 1
      if (ended.signal.aborted) [endAt, ended] = [Number.POSITIVE_INFINITY, new AbortController()]
    },
    leave(): void {
      count -= 1
      if (count > 0) return
      endAt = performance.now() + END_WITHIN_MS
      ended.abort()
    },
    /** Aborts when the last one leaves. */
    ended: () => ended.signal,
    isOver: () => performance.now() > endAt,
  }
}

export type LogFollowers = ReturnType<typeof createLogFollowers>

/** While somebody on this node follows a log that another node writes: copies what is stored, until the end. */
export async function copyLog(deps: Deps): Promise<void> {
  const { followers } = deps
  let hasProblem = false
  const onWorking = () => void (hasProblem = false)
  const copy = async () => await deps.inTurn(deps.deploymentId, async () => await copyUntilOurs(deps, onWorking))
  for (;;) {
    const isDone = await copy().catch((cause: unknown) => {
      if (!hasProblem) deps.onProblem(cause) // the database may be back soon
      hasProblem = true
      return followers.isOver()
    })
    // what this node wrote itself is in the file
    if ((isDone || deps.isOurs()) && followers.ended().aborted) return deps.onEnd()
    await pause(followers.ended())
  }
}

/** Returns whether everything is copied. Otherwise this node writes the log by now, or the copy has to begin again. */
async function copyUntilOurs(deps: Deps, onWorking: () => void): Promise<boolean> {
  const { shared, deploymentId, path, followers, isOurs, onCut } = deps
  if (isOurs()) return false
  const { bytes: first, wasCut } = await shared.catchUp(deploymentId, path)
  if (wasCut) onCut()
  const live = deps.live()
  await live.beginWriting()
  try {
    for (let bytes = first; !isOurs(); ) {
      const isAtEnd = followers.ended().aborted
      const { isOpen, isStale } = await shared.look(deploymentId, bytes) // before the part, which then is the newest
      const part = await shared.partAt(deploymentId, bytes)
      onWorking()
      if (part) await live.append(parseLines(part.toString('utf8'), 0).map(({ line, stream }) => [line, stream]))
      else if (isStale && !followers.isOver()) return false
      else if (isAtEnd && (followers.isOver() || !isOpen)) return true
      else await pause(followers.ended())
      bytes += part?.length ?? 0
    }
    return false
  } finally {
    live.endWriting()
  }
}

/** Shorter at the end, when only the last lines are missing. */
async function pause(ended: AbortSignal): Promise<void> {
  if (ended.aborted) await sleep(LOOK_EVERY_MS / 5)
  else await sleep(LOOK_EVERY_MS, undefined, { signal: ended }).catch(() => undefined)
}
