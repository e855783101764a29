import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createCounts } from '../../../lib/counts.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createRedactor, type Redactor } from '../../../lib/redact.ts'
import type { LogBatch } from './follow-log.ts'
import { createLiveLog, type LiveLog } from './live-log.ts'
import { lastLine, textOf } from './log-file.ts'
import { isLastLine } from './log-lines.ts'
import { createLogWriter, type LogWriter } from './log-writer.ts'
import { createNodeLogs } from './node-logs.ts'
import type { SharedLogs } from './shared-logs.ts'

type Deps = {
  directory: string
  log: Pick<Logger, 'warn'>
  /** If there are several nodes. */
  shared?: SharedLogs | undefined
}
type Opening = { /** The caller runs the deployment; otherwise a log that another node writes is left alone. */ holdsLease?: boolean }

/**
 * One append-only file per deployment. The socket and the REST log are two readers of it, so they cannot disagree;
 * followers get a line only once it is in the file, and no reader holds more than a chunk of it.
 */
export function createBuildLogs(deps: Deps) {
  const live = new Map<number, LiveLog>()
  const pathOf = (deploymentId: number) => join(deps.directory, `d${deploymentId}.log`)
  const writers = createCounts<number>()
  const isOpen = (deploymentId: number): boolean => writers.of(deploymentId) > 0
  const nodes = deps.shared && createNodeLogs({ shared: deps.shared, log: deps.log, pathOf, liveOf, isOpen })

  /** Writers and followers of a log must share the same entry. */
  function liveOf(deploymentId: number): LiveLog {
    const known = live.get(deploymentId)
    if (known) return known
    const onIdle = () => {
      if (live.get(deploymentId) === fresh) live.delete(deploymentId)
    }
    const fresh = createLiveLog({ path: pathOf(deploymentId), deploymentId, log: deps.log, onIdle })
    live.set(deploymentId, fresh)
    return fresh
  }

  async function openWriter(deploymentId: number, redactor: Pick<Redactor, 'stream'>, opening: Opening = {}): Promise<LogWriter> {
    await mkdir(deps.directory, { recursive: true, mode: 0o700 })
    writers.add(deploymentId)
    let endStoring: (() => Promise<void>) | undefined
    try {
      endStoring = await nodes?.beginWriting(deploymentId, { holdsLease: opening.holdsLease ?? false })
      const log = liveOf(deploymentId)
      await log.beginWriting()
      const onClosed = async () => {
        await sync(pathOf(deploymentId))
        log.endWriting()
        await endStoring?.()
        writers.remove(deploymentId)
      }
      return createLogWriter({ redactor, store: log.append, onClosed })
    } catch (cause) {
      await endStoring?.()
      writers.remove(deploymentId)
      throw cause
    }
  }

  /** Adds the last line for a deployment that ended without a writer; a log that already has one is not changed. */
  async function finish(deploymentId: number, line: string): Promise<void> {
    const writer = await openWriter(deploymentId, createRedactor([]), { holdsLease: true })
    try {
      await using file = await open(pathOf(deploymentId), 'r')
      if (!isLastLine(await lastLine(file))) writer.append(line, 'berth')
    } finally {
      await writer.close()
    }
  }

  async function* follow(deploymentId: number, from: number, signal: AbortSignal): AsyncGenerator<LogBatch> {
    if (nodes) yield* nodes.follow(deploymentId, from, signal)
    else yield* liveOf(deploymentId).follow(from, signal)
  }

  async function* textNow(deploymentId: number): AsyncGenerator<Buffer> {
    await nodes?.catchUp(deploymentId)
    yield* textOf(pathOf(deploymentId), live.get(deploymentId)?.writtenBytes())
  }

  /** The log so far, as a stream: it is never in memory as a whole. */
  function text(deploymentId: number): Readable {
    return Readable.from(textNow(deploymentId), { objectMode: false })
  }

  return { openWriter, finish, isOpen, follow, text, storeRest: async () => await nodes?.storeRest() }
}

async function sync(path: string): Promise<void> {
  try {
    await using file = await open(path, 'r+')
    await file.sync()
  } catch {
    // A log that could not be written needs no sync.
  }
}

export type BuildLogs = ReturnType<typeof createBuildLogs>
