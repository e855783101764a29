import { appendFile, open, truncate } from 'node:fs/promises'
import type { Logger } from '../../../lib/logger.ts'
import { followLog, type LogBatch } from './follow-log.ts'
import { countLines, type LogPlace, wholeLinesEnd } from './log-file.ts'
import { storedLine } from './log-lines.ts'
import type { NewLine } from './log-writer.ts'
import { createRecentLines } from './recent-lines.ts'

type Deps = { path: string; deploymentId: number; log: Pick<Logger, 'warn'>; onIdle: () => void }

const LINES_AT_ONCE = 1000

/** A log while somebody writes or follows it. */
export function createLiveLog({ path, deploymentId, log, onIdle }: Deps) {
  const recent = createRecentLines()
  let writers = 0
  let followers = 0
  /** The end of what is written, while somebody writes. Those who write wait for each other. */
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

/** A full disk costs log lines, never the deployment or the server. What was written of them may end in half a line, and goes. */
async function problemOfAppending(path: string, bytes: Buffer, before: LogPlace): Promise<unknown> {
  try {
    await appendFile(path, bytes, { mode: 0o600 })
    return undefined
  } catch (cause) {
    await truncate(path, before.bytes).catch(() => undefined)
    return cause
  }
}

/** A crash can leave half a line; the numbers of the lines behind it would be off by one for ever. Gives the end of the whole ones. */
async function dropHalfLine(path: string): Promise<LogPlace> {
  await using file = await open(path, 'a+', 0o600)
  const bytes = await wholeLinesEnd(file)
  if (bytes < (await file.stat()).size) await file.truncate(bytes)
  return { lines: await countLines(file, bytes), bytes }
}

export type LiveLog = ReturnType<typeof createLiveLog>
