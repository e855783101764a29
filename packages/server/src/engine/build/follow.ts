import { setTimeout as sleep } from 'node:timers/promises'
import { BuildFailed } from '../api/errors.ts'
import { field, jsonLines, text } from '../api/json.ts'
import { type OutputStream, type TracePart, tracePartsOf } from './buildkit-messages.ts'
import { createNewsCheck } from './buildkit-trace.ts'
import { createLineSplitter } from './line-splitter.ts'
import { createBuildOutput } from './output.ts'

/** Receives the progress of a build. */
export type BuildFollower = {
  onLine(line: string, stream: OutputStream): void
  onProgress?(fraction: number): void
  /**
   * Called on progress: a step began, ended, printed something or advanced. Other messages of the engine do not count as a sign of life.
   */
  onActivity?(): void
  readonly signal: AbortSignal
}

type Heard = { heard: () => void; parts: (parts: readonly TracePart[]) => void }

/** The line that says why a step failed is often far from the last one, with output of other steps in between. */
const KEPT_LINES = 300
/** For the engine's error, which quotes the Dockerfile. People see less than what is kept of its beginning. */
const REASON_KEPT = { beginning: 3000, end: 1000 }
const EMPTY_IN_A_ROW = 1000
const EMPTY_PAUSE_MS = 100
/** What shells and the engine print when a process cannot be started. */
const NO_FORK = /can(?:'t|not) fork|fork.{0,40}resource temporarily unavailable/i
const LOST_TRACK =
  'The build printed more at once than this version of the container engine can report. The rest of its output is not shown.'

/**
 * Reads the engine's response to its end and returns the image.
 *
 * BuildKit before 0.10 (engine 20.10) splits a report when the output in it is over 1 MiB, and then never leaves that loop: it sends empty
 * reports forever, as fast as they are read. The build itself goes on, and when it succeeds its image still comes between them; if it
 * fails, nothing reports it. So we read as fast as the engine writes, which keeps its reports small. If it happens anyway, empty reports
 * are read slowly, which costs neither side anything, until the image comes or the build is ended for its silence.
 */
export async function followBuild(chunks: AsyncIterable<Buffer>, follower: BuildFollower, on: Heard): Promise<string> {
  const lastLines: string[] = []
  const output = createBuildOutput(keeping(lastLines, follower))
  const say = (line: string, stream: OutputStream) => output.take([{ kind: 'line', line, stream }])
  const plain = createLineSplitter()
  const isNews = createNewsCheck()
  let empty = 0
  let imageId = ''
  for await (const message of jsonLines(chunks)) {
    on.heard()
    const failure = text(field(message, 'errorDetail', 'message')) || text(field(message, 'error'))
    if (failure !== '') {
      await output.end()
      throw failed(failure, lastLines)
    }
    const aux = field(message, 'aux')
    if (field(message, 'id') === 'moby.buildkit.trace') {
      const parts = tracePartsOf(Buffer.from(text(aux), 'base64'))
      if (parts.filter(isNews).length > 0) follower.onActivity?.()
      on.parts(parts)
      output.take(parts)
      empty = parts.length === 0 ? empty + 1 : 0
    }
    imageId = text(field(aux, 'ID')) || imageId
    for (const line of plain.push(Buffer.from(text(field(message, 'stream'))))) say(line, 'stdout')
    if (empty < EMPTY_IN_A_ROW) continue
    if (empty === EMPTY_IN_A_ROW) say(LOST_TRACK, 'stderr')
    if (imageId !== '') break
    if (empty % EMPTY_IN_A_ROW === 0) await sleep(EMPTY_PAUSE_MS)
  }
  await output.end()
  if (imageId === '') throw failed('the engine ended the build without an image', lastLines)
  return imageId
}

/** Wraps the follower: keeps the last lines for the failure reason, and makes progress monotonic. */
function keeping(lastLines: string[], follower: BuildFollower) {
  let furthest = 0
  return {
    onLine: (line: string, stream: OutputStream) => {
      lastLines.push(line)
      if (lastLines.length > KEPT_LINES) lastLines.shift()
      follower.onLine(line, stream)
    },
    onProgress: (fraction: number) => {
      furthest = Math.max(furthest, fraction)
      follower.onProgress?.(furthest)
    },
    signal: follower.signal,
  }
}

function failed(said: string, lastLines: readonly string[]): BuildFailed {
  const reason = withoutMiddle(said, REASON_KEPT)
  const outOfMemory = /exit code: 137\b/.test(reason) || /cannot allocate memory|out of memory/i.test(reason)
  const outOfProcesses = [reason, ...lastLines].some((line) => NO_FORK.test(line))
  const message = outOfMemory ? `The build ran out of memory: ${reason}` : `The build failed: ${reason}`
  return new BuildFailed(message, { reason, lastLines: [...lastLines], outOfMemory, outOfProcesses })
}

/** A long text with its middle left out. */
function withoutMiddle(text: string, kept: { beginning: number; end: number }): string {
  if (text.length <= kept.beginning + kept.end) return text
  return `${text.slice(0, kept.beginning)} … ${text.slice(-kept.end)}`.toWellFormed()
}
