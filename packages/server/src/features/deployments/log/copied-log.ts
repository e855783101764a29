import { setTimeout as sleep } from 'node:timers/promises'
import type { InTurn } from '../../../lib/turns.ts'
import type { LiveLog } from './live-log.ts'
import { parseLines } from './log-lines.ts'
import type { SharedLogs } from './shared-logs.ts'

type Deps = {
  shared: Pick<SharedLogs, 'catchUp' | 'partAt' | 'look'>
  deploymentId: number
  path: string
  live: LiveLog
  /** Whether this node writes the log itself, so that there is nothing to copy. */
  isOurs: () => boolean
  /** The followers have been told lines that are not in the log: they have to begin again. */
  onCut: () => void
  onProblem: (cause: unknown) => void
  /** One at a time changes the file. */
  inTurn: InTurn<number>
}

const LOOK_EVERY_MS = 500
/** After the end of a deployment: the node that wrote the last lines may be gone. */
const END_WITHIN_MS = 10_000

/** While somebody on this node follows a log that another node writes: copies what is stored, until the end. */
export async function copyLog(deps: Deps, ended: AbortSignal): Promise<void> {
  let endAt = Number.POSITIVE_INFINITY
  ended.addEventListener('abort', () => (endAt = performance.now() + END_WITHIN_MS), { once: true })
  if (ended.aborted) endAt = performance.now() + END_WITHIN_MS
  const isOver = () => performance.now() > endAt
  const copy = async () => await deps.inTurn(deps.deploymentId, async () => await copyUntilOurs(deps, { ended, isOver }))
  for (;;) {
    const isDone = await copy().catch((cause: unknown) => {
      deps.onProblem(cause) // the database may be back soon
      return isOver()
    })
    if (isDone || (ended.aborted && deps.isOurs())) return // what this node wrote itself is in the file
    await pause(ended)
  }
}

type End = { ended: AbortSignal; isOver: () => boolean }

/** Returns whether everything is copied. Otherwise this node writes the log by now, or the copy has to begin again. */
async function copyUntilOurs({ shared, deploymentId, path, live, isOurs, onCut }: Deps, { ended, isOver }: End): Promise<boolean> {
  if (isOurs()) return false
  const { bytes: first, wasCut } = await shared.catchUp(deploymentId, path)
  if (wasCut) onCut()
  await live.beginWriting()
  try {
    for (let bytes = first; !isOurs(); ) {
      const isAtEnd = ended.aborted
      const { isOpen, isStale } = await shared.look(deploymentId, bytes) // before the part, which then is the newest
      const part = await shared.partAt(deploymentId, bytes)
      if (part) await live.append(parseLines(part.toString('utf8'), 0).map(({ line, stream }) => [line, stream]))
      else if (isStale && !isOver()) return false
      else if (isAtEnd && (isOver() || !isOpen)) return true
      else await pause(ended)
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
