import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '../../../lib/logger.ts'
import { createTurns } from '../../../lib/turns.ts'
import { copyLog } from './copied-log.ts'
import type { LogBatch } from './follow-log.ts'
import type { LiveLog } from './live-log.ts'
import type { SharedLogs } from './shared-logs.ts'
import { createStoredWriting } from './stored-writing.ts'

type Deps = {
  shared: SharedLogs
  log: Pick<Logger, 'warn'>
  pathOf: (deploymentId: number) => string
  liveOf: (deploymentId: number) => LiveLog
  /** Whether this node writes the log. */
  isOpen: (deploymentId: number) => boolean
}
/** One for all followers of a log on this node. */
type Copy = { followers: number; readonly ended: AbortController; readonly cut: AbortController; done: Promise<void> }

/** Another node writes this log, and it is not ours to change. */
class LogOfAnotherNode extends Error {
  override readonly name = 'LogOfAnotherNode'
}

/** The files of logs on one of several nodes: what it writes is stored, and what others wrote is copied before it is read. */
export function createNodeLogs({ shared, log, pathOf, liveOf, isOpen }: Deps) {
  const copies = new Map<number, Copy>()
  /** A copy has its turn until this node writes the log itself, or nobody follows it. */
  const inTurn = createTurns<number>()
  const writing = createStoredWriting({ shared, log, pathOf, writtenBytes: (id) => liveOf(id).writtenBytes() })

  /** Before a writer begins: the file has what other nodes wrote. Call the result when it has ended. */
  async function beginWriting(deploymentId: number, options: { holdsLease: boolean }): Promise<() => Promise<void>> {
    const takeOver = async () => {
      const before = await shared.take(deploymentId, options)
      if (before === 'of another node') throw new LogOfAnotherNode(`another node writes the log of deployment ${deploymentId}`)
      const { wasCut } = await shared.catchUp(deploymentId, pathOf(deploymentId), before === 'ours')
      if (wasCut) copies.get(deploymentId)?.cut.abort()
    }
    const end = await inTurn(deploymentId, async () => await writing.begin(deploymentId, takeOver))
    return async () => await inTurn(deploymentId, end)
  }

  async function* follow(deploymentId: number, from: number, signal: AbortSignal): AsyncGenerator<LogBatch> {
    await mkdir(dirname(pathOf(deploymentId)), { recursive: true, mode: 0o700 })
    const live = liveOf(deploymentId)
    const copy = copies.get(deploymentId) ?? beginCopy(deploymentId, live)
    copy.followers += 1
    const isCopied = new AbortController()
    const leave = () => {
      copy.followers -= 1
      if (copy.followers === 0) copy.ended.abort()
      void copy.done.then(() => isCopied.abort())
    }
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    yield* live.follow(from, AbortSignal.any([isCopied.signal, copy.cut.signal]))
    if (copy.cut.signal.aborted) throw new Error('the log was replaced by that of another node')
  }

  function beginCopy(deploymentId: number, live: LiveLog): Copy {
    const [ended, cut] = [new AbortController(), new AbortController()]
    const onProblem = (err: unknown) => log.warn({ deploymentId, err }, 'a build log of another node was not copied; retrying')
    const what = { deploymentId, path: pathOf(deploymentId), live, isOurs: () => isOpen(deploymentId) }
    const copy: Copy = { followers: 0, ended, cut, done: Promise.resolve() }
    copies.set(deploymentId, copy)
    copy.done = copyLog({ ...what, shared, inTurn, onProblem, onCut: () => cut.abort() }, ended.signal)
    void copy.done.then(() => copies.delete(deploymentId))
    return copy
  }

  /** For a reader that does not wait for more. */
  async function catchUp(deploymentId: number): Promise<void> {
    if (isOpen(deploymentId) || copies.has(deploymentId)) return
    await inTurn(deploymentId, async () => {
      await mkdir(dirname(pathOf(deploymentId)), { recursive: true, mode: 0o700 })
      await shared.catchUp(deploymentId, pathOf(deploymentId))
    })
  }

  /** At the start: what the last run of this node wrote and could not store any more. */
  async function storeRest(): Promise<void> {
    for (const deploymentId of await shared.leftOpen()) if (!isOpen(deploymentId)) await shared.close(deploymentId, pathOf(deploymentId))
  }

  return { beginWriting, follow, catchUp, storeRest }
}
