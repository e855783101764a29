import { appendFile, open, truncate } from 'node:fs/promises'
import type { Logger } from '../../../lib/logger.ts'
import { followLog, type LogBatch } from './follow-log.ts'
import { countLines, type LogPlace, wholeLinesEnd } from './log-file.ts'
import { storedLine } from './log-lines.ts'
import type { NewLine } from './log-writer.ts'
import { createRecentLines } from './recent-lines.ts'

type Deps = { path: string; deploymentId: number; log: Pick<Logger, 'warn'>; onIdle: () => void }

const LINES_AT_ONCE = 1000

/** A log with a writer or followers. */
export function createLiveLog({ path, deploymentId, log, onIdle }: Deps) {
  const recent = createRecentLines()
  let writers = 0
  let followers = 0
  /** The end of the written part while there is a writer. Writers take turns. */
  let written: Promise<LogPlace> | undefined
  let writtenBytes: number | undefined

  function lookIdle(): void {
    if (writers === 0 && followers === 0) onIdle()
  }

  function endWriting(): void {
    writers -= 1
    if (writers === 0) [written, writtenBytes] = [undefined, undefined]
    lookIdle()
  }

  async function beginWriting(): Promise<void> {
    writers += 1
    try {
      written ??= dropHalfLine(path).then((end) => {
        writtenBytes = end.bytes
        return end
      })
      await written
    } catch (cause) {
      endWriting()
      throw cause
    }
  }

  async function append(added: readonly NewLine[]): Promise<void> {
    for (let at = 0; at < added.length; at += LINES_AT_ONCE) {
      const lines = added.slice(at, at + LINES_AT_ONCE)
      written = (written ?? dropHalfLine(path)).then(async (end) => await appendBehind(end, lines))
      await written
    }
  }

  async function appendBehind(before: LogPlace, added: readonly NewLine[]): Promise<LogPlace> {
    const bytes = Buffer.from(added.map(([line, stream]) => storedLine(line, stream)).join(''))
    const problem = await problemOfAppending(path, bytes, before)
    if (problem !== undefined) {
      log.warn({ deploymentId, lines: added.length, err: problem }, 'build log was not written')
      return before
    }
    const end = { lines: before.lines + added.length, bytes: before.bytes + bytes.length }
    writtenBytes = end.bytes
    recent.publish(
      added.map(([line, stream], index) => ({ n: before.lines + index + 1, line, stream })),
      end,
    )
    return end
  }

  async function* follow(from: number, signal: AbortSignal): AsyncGenerator<LogBatch> {
    followers += 1
    try {
      yield* followLog({ path, recent, writtenBytes: () => writtenBytes, from, signal })
    } finally {
      followers -= 1
      lookIdle()
    }
  }

  return { beginWriting, append, endWriting, follow, writtenBytes: () => writtenBytes, isWritten: () => writers > 0 }
}

/** On a full disk log lines are lost, but the deployment and the server continue. A partly written line is removed. */
async function problemOfAppending(path: string, bytes: Buffer, before: LogPlace): Promise<unknown> {
  try {
    await appendFile(path, bytes, { mode: 0o600 })
    return undefined
  } catch (cause) {
    await truncate(path, before.bytes).catch(() => undefined)
    return cause
  }
}

/** A crash can leave half a line, which would shift all later line numbers. Returns the end of the complete lines. */
async function dropHalfLine(path: string): Promise<LogPlace> {
  await using file = await open(path, 'a+', 0o600)
  const bytes = await wholeLinesEnd(file)
  if (bytes < (await file.stat()).size) await file.truncate(bytes)
  return { lines: await countLines(file, bytes), bytes }
}

export type LiveLog = ReturnType<typeof createLiveLog>
