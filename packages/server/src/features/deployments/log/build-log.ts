import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Logger } from '../../../lib/logger.ts'
import { createRedactor, type Redactor } from '../../../lib/redact.ts'
import type { LogBatch } from './follow-log.ts'
import { createLiveLog, type LiveLog } from './live-log.ts'
import { lastLine, textOf } from './log-file.ts'
import { isLastLine } from './log-lines.ts'
import { createLogWriter, type LogWriter } from './log-writer.ts'

/**
 * One append-only file per deployment. The socket and the REST log are two readers of it, so they cannot disagree;
 * followers get a line only once it is in the file, and no reader holds more than a chunk of it.
 */
export function createBuildLogs(deps: { directory: string; log: Pick<Logger, 'warn'> }) {
  const live = new Map<number, LiveLog>()

  function pathOf(deploymentId: number): string {
    return join(deps.directory, `d${deploymentId}.log`)
  }

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

  async function openWriter(deploymentId: number, redactor: Pick<Redactor, 'stream'>): Promise<LogWriter> {
    await mkdir(deps.directory, { recursive: true, mode: 0o700 })
    const log = liveOf(deploymentId)
    await log.beginWriting()
    const onClosed = async () => {
      await sync(pathOf(deploymentId))
      log.endWriting()
    }
    return createLogWriter({ redactor, store: log.append, onClosed })
  }

  /** Adds the last line for a deployment that ended without a writer; a log that already has one is not changed. */
  async function finish(deploymentId: number, line: string): Promise<void> {
    const writer = await openWriter(deploymentId, createRedactor([]))
    try {
      await using file = await open(pathOf(deploymentId), 'r')
      if (!isLastLine(await lastLine(file))) writer.append(line, 'berth')
    } finally {
      await writer.close()
    }
  }

  async function* follow(deploymentId: number, from: number, signal: AbortSignal): AsyncGenerator<LogBatch> {
    yield* liveOf(deploymentId).follow(from, signal)
  }

  /** The log so far, as a stream: it is never in memory as a whole. */
  function text(deploymentId: number): Readable {
    return Readable.from(textOf(pathOf(deploymentId), live.get(deploymentId)?.writtenBytes()), { objectMode: false })
  }

  const isOpen = (deploymentId: number): boolean => live.get(deploymentId)?.isWritten() ?? false

  return { openWriter, finish, isOpen, follow, text }
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
