import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '../../../lib/logger.ts'
import type { InTurn } from '../../../lib/turns.ts'
import { copyLog, createLogFollowers, type LogFollowers } from './copied-log.ts'
import type { LogBatch } from './follow-log.ts'
import type { LiveLog } from './live-log.ts'
import type { SharedLogs } from './shared-logs.ts'

/** What a node needs for its files of logs. */
export type NodeLogDeps = {
  shared: SharedLogs
  log: Pick<Logger, 'warn'>
  pathOf: (deploymentId: number) => string
  liveOf: (deploymentId: number) => LiveLog
  /** Whether this node writes the log. */
  isOpen: (deploymentId: number) => boolean
}
type Deps = NodeLogDeps & { inTurn: InTurn<number> }
/** One for all followers of a log on this node. */
type Copy = { readonly followers: LogFollowers /** Ends those who follow now. */; cut: AbortController; done: Promise<void> }

/** The logs that somebody on this node follows: each is copied once, however many follow it. */
export function createLogCopies({ shared, log, pathOf, liveOf, isOpen, inTurn }: Deps) {
  const copies = new Map<number, Copy>()

  async function* follow(deploymentId: number, from: number, signal: AbortSignal): AsyncGenerator<LogBatch> {
    await mkdir(dirname(pathOf(deploymentId)), { recursive: true, mode: 0o700 })
    const copy = copies.get(deploymentId) ?? begin(deploymentId)
    const cut = copy.cut.signal
    const isCopied = new AbortController()
    copy.followers.join()
    const leave = () => {
      copy.followers.leave()
      void copy.done.then(() => isCopied.abort())
    }
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      yield* liveOf(deploymentId).follow(from, AbortSignal.any([isCopied.signal, cut]))
    } finally {
      signal.removeEventListener('abort', leave)
      if (!signal.aborted) leave()
    }
    if (cut.aborted) throw new Error('the log was replaced by that of another node')
  }

  function begin(deploymentId: number): Copy {
    const copy: Copy = { followers: createLogFollowers(), cut: new AbortController(), done: Promise.resolve() }
    copies.set(deploymentId, copy)
    copy.done = copyLog({
      shared,
      deploymentId,
      path: pathOf(deploymentId),
      live: () => liveOf(deploymentId),
      followers: copy.followers,
      isOurs: () => isOpen(deploymentId),
      onCut: () => cutOff(deploymentId),
      onProblem: (err) => log.warn({ deploymentId, err }, 'a build log of another node was not copied; retrying'),
      onEnd: () => void copies.delete(deploymentId),
      inTurn,
    })
    return copy
  }

  /** Who follows now was told lines that are not in the log. Who comes from now on hears what is in the file. */
  function cutOff(deploymentId: number): void {
    const copy = copies.get(deploymentId)
    if (!copy) return
    liveOf(deploymentId).forget()
    copy.cut.abort()
    copy.cut = new AbortController()
  }

  return { follow, cutOff, has: (deploymentId: number) => copies.has(deploymentId) }
}
