import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { OutputStream, TracePart } from './buildkit-messages.ts'
import { createTraceReader } from './buildkit-trace.ts'

type Deps = {
  onLine: (line: string, stream: OutputStream) => void
  onProgress: (fraction: number) => void
  /** When aborted, nobody reads the lines any more. */
  signal: AbortSignal
  mostWaitingBytes?: number
}
/** `weight` is roughly its size in memory, first as bytes and then as lines. */
type Waiting = { readonly part: TracePart; readonly weight: number }

const MOST_WAITING_BYTES = 4 * 1024 * 1024
const PART_BYTES = 256
const LINE_BYTES = 64
/** Small enough to be split into lines within a millisecond, even if all of them are empty. */
const PIECE_BYTES = 1024
const SLICE_MS = 10
const SLICE_LINES = 2000
const PAUSE_MS = 30

/**
 * The output of a build on its way to the log. Accepting it is cheap, so the engine never waits for us: engine 20.10 loses track of a
 * build whose output is not read in time. Splitting it into lines is not cheap (a build can print millions of empty ones a second), so
 * that happens later, a little at a time. When too much is waiting, the oldest output is left out and a line says so.
 */
export function createBuildOutput({ onLine, onProgress, signal, mostWaitingBytes = MOST_WAITING_BYTES }: Deps) {
  const reader = createTraceReader()
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let leftOutBytes = 0
  let working: Promise<void> | undefined

  function take(parts: readonly TracePart[]): void {
    for (const part of parts.flatMap(inPieces)) {
      const weight = resourcesOf(part)
      waiting.push({ part, weight })
      waitingBytes += weight
    }
    if (waitingBytes > mostWaitingBytes) leaveOutOldest()
    if (working !== undefined || waiting.length === 0) return
    working = work()
    working.catch(() => undefined) // resolves those who wait for the end
  }

  /**
   * Drops output down to half of the limit, so that this happens now and then and not for every line. Lines about the steps themselves
   * are kept.
   */
  function leaveOutOldest(): void {
    waiting = waiting.filter(({ part, weight }) => {
      if (part.kind !== 'printed' || waitingBytes <= mostWaitingBytes / 2) return true
      waitingBytes -= weight
      leftOutBytes += part.printed.bytes.length
      return false
    })
  }

  async function work(): Promise<void> {
    await nextTurn()
    while (waiting.length > 0 && !signal.aborted) {
      workOneSlice()
      if (waiting.length > 0) await sleep(PAUSE_MS)
    }
    working = undefined
  }

  function workOneSlice(): void {
    const endAt = performance.now() + SLICE_MS
    if (leftOutBytes > 0)
      onLine(`… ${leftOutBytes} bytes of output left out: the build printed faster than the log can be written`, 'stderr')
    leftOutBytes = 0
    let done = 0
    let made = 0
    for (const { part, weight } of waiting) {
      if (made >= SLICE_LINES || performance.now() > endAt) break
      const lines = reader.read(part)
      for (const { line, stream } of lines) onLine(line, stream)
      if (part.kind === 'vertex') onProgress(reader.progress())
      waitingBytes -= weight
      made += lines.length
      done += 1
    }
    waiting = waiting.slice(done)
  }

  /** Resolves once everything accepted so far has become lines. */
  async function end(): Promise<void> {
    await working
  }

  return { take, end }
}

function resourcesOf(part: TracePart): number {
  if (part.kind !== 'printed') return 0
  const { bytes } = part.printed
  let lines = 0
  for (const byte of bytes) if (byte === 10) lines += 1
  return PART_BYTES + bytes.length + lines * LINE_BYTES
}

function inPieces(part: TracePart): TracePart[] {
  if (part.kind === 'transfer') return [] // progress, but no output
  if (part.kind !== 'printed' || part.printed.bytes.length <= PIECE_BYTES) return [part]
  const { bytes } = part.printed
  return Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, n) => ({
    kind: 'printed',
    printed: { ...part.printed, bytes: bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES) },
  }))
}
