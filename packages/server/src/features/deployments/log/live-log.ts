import { appendFile, open as openFile, truncate } from 'node:fs/promises'
import type { Logger } from '../../../lib/logger.ts'
import { followLog, type LogBatch } from './follow-log.ts'
import { countLines, type LogPlace, lastLine, wholeLinesEnd } from './log-file.ts'
import { isLastLine, type LogLine, type LogStream, storedLine } from './log-lines.ts'
import type { NewLine } from './log-writer.ts'
import { createRecentLines } from './recent-lines.ts'

type Deps = { path: string; deploymentId: number; log: Pick<Logger, 'warn'>; onIdle: () => void }

const LINES_AT_ONCE = 1000

/** A log with a writer or followers. */
export function createLiveLog({ path, deploymentId, log, onIdle }: Deps) {
  const recent = createRecentLines()
  let [writers, followers] = [0, 0]
  /** The end of the written part while there is a writer. Writers take turns. */
  let written: Promise<LogPlace> | undefined
  let writtenBytes: number | undefined
  const end = createEndedOnce()

  const lookIdle = () => void (writers === 0 && followers === 0 && onIdle())

  function endWriting(): void {
    writers -= 1
    if (writers === 0) [written, writtenBytes] = [undefined, undefined]
    lookIdle()
  }

  async function beginWriting(): Promise<void> {
    writers += 1
    written ??= open()
    await written.catch((cause: unknown) => {
      endWriting()
      throw cause
    })
  }

  async function open(): Promise<LogPlace> {
    const { place, last } = await dropHalfLine(path)
    end.begin(last)
    writtenBytes = place.bytes
    recent.startAt(place)
    return place
  }

  async function append(added: readonly NewLine[]): Promise<void> {
    for (let at = 0; at < added.length; at += LINES_AT_ONCE) {
      const lines = added.slice(at, at + LINES_AT_ONCE)
      written = (written ?? open()).then(async (place) => await appendBehind(place, lines))
      await written
    }
  }

  async function appendBehind(before: LogPlace, given: readonly NewLine[]): Promise<LogPlace> {
    const added = given.filter(([line, stream]) => !end.isSecondEnd(line, stream))
    if (added.length === 0) return before
    const bytes = Buffer.from(added.map(([line, stream]) => storedLine(line, stream)).join(''))
    const problem = await problemOfAppending(path, bytes, before)
    if (problem !== undefined) {
      log.warn({ deploymentId, lines: added.length, err: problem }, 'build log was not written')
      return before
    }
    const place = { lines: before.lines + added.length, bytes: before.bytes + bytes.length }
    writtenBytes = place.bytes
    recent.publish(numbered(added, before.lines), place)
    return place
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

  return { beginWriting, append, endWriting, follow, forget: recent.forget, writtenBytes: () => writtenBytes }
}

function numbered(lines: readonly NewLine[], before: number): LogLine[] {
  return lines.map(([line, stream], index) => ({ n: before + index + 1, line, stream }))
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

/** Who cancels a deployment and who runs it may both write its last line, on different nodes too. The second one is left out. */
function createEndedOnce() {
  let before: string | undefined
  return {
    begin: (last: LogLine | undefined) => void (before = last?.stream === 'berth' ? last.line : undefined),
    isSecondEnd(line: string, stream: LogStream): boolean {
      const isSame = stream === 'berth' && before === line && isLastLine({ line, stream })
      before = stream === 'berth' ? line : undefined
      return isSame
    },
  }
}

/** A crash can leave half a line, which would shift all later line numbers. Returns the end of the complete lines, and the last one. */
async function dropHalfLine(path: string): Promise<{ place: LogPlace; last: LogLine | undefined }> {
  await using file = await openFile(path, 'a+', 0o600)
  const bytes = await wholeLinesEnd(file)
  if (bytes < (await file.stat()).size) await file.truncate(bytes)
  return { place: { lines: await countLines(file, bytes), bytes }, last: await lastLine(file) }
}

export type LiveLog = ReturnType<typeof createLiveLog>
