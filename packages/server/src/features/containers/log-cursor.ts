import type { LogLine } from '../../engine/api/log-frames.ts'

/** The position of a line in a log: its time, and its index among lines with the same time. */
export type Cursor = { readonly at: string; readonly nth: number }
/** The container that printed a line. `service` is empty for an app that has none. */
export type Printer = { readonly service: string; readonly replica: number }
export type ServiceLine = LogLine & Printer
export type PlacedLine = ServiceLine & Cursor

const FORM = /^(.+?)(?:\.(\d+))?Z(?:~(\d+))?$/

export function formatCursor({ at, nth }: Cursor): string {
  return nth === 0 ? at : `${at}~${nth}`
}

/**
 * The text has the form required by the contract. Times are compared as text, so they are padded to the nine digits that the engine
 * writes.
 */
export function parseCursor(text: string): Cursor {
  const [, seconds = '', fraction = '', nth = '0'] = FORM.exec(text) ?? []
  return { at: `${seconds}.${fraction.padEnd(9, '0')}Z`, nth: Number(nth) }
}

export function compareCursors(a: Cursor, b: Cursor): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.nth - b.nth
}

/** Lines in batches, because yielding each one costs more than reading it. */
export type Batches<Line = PlacedLine> = AsyncIterable<readonly Line[]>

export async function* placed(batches: Batches<ServiceLine>): AsyncGenerator<PlacedLine[]> {
  let last = ''
  let nth = 0
  for await (const lines of batches)
    yield lines.map((line) => {
      nth = line.at === last ? nth + 1 : 0
      last = line.at
      return { at: line.at, stream: line.stream, line: line.line, service: line.service, replica: line.replica, nth }
    })
}

type Log = AsyncGenerator<readonly ServiceLine[]>
type Head = { log: Log; lines: readonly ServiceLine[]; at: number }

/** The next lines of a log, or undefined at its end. */
async function headOf(log: Log): Promise<Head[]> {
  while (true) {
    const next = await log.next()
    if (next.done === true) return []
    if (next.value.length > 0) return [{ log, lines: next.value, at: 0 }]
  }
}

/** Merges several logs by time. Lines with the same time are in the order of the logs. */
export async function* merged(logs: readonly Log[]): Log {
  const [only] = logs
  if (logs.length === 1 && only) {
    yield* only
    return
  }
  try {
    let heads = (await Promise.all(logs.map(headOf))).flat()
    while (heads.length > 0) {
      const { lines, ended } = linesUntilOneEnds(heads)
      yield lines
      heads = (await Promise.all(heads.map(async (head) => (head === ended ? await headOf(head.log) : [head])))).flat()
    }
  } finally {
    await Promise.all(logs.map(async (log) => await log.return(undefined)))
  }
}

/** Lines before the last line of every batch are final, whatever follows. */
function linesUntilOneEnds(heads: readonly Head[]): { lines: ServiceLine[]; ended: Head } {
  const lines: ServiceLine[] = []
  while (true) {
    const first = heads.reduce((a, b) => (timeOf(b) < timeOf(a) ? b : a))
    lines.push(...first.lines.slice(first.at, first.at + 1))
    first.at += 1
    if (first.at === first.lines.length) return { lines, ended: first }
  }
}

function timeOf({ lines, at }: Head): string {
  return lines[at]?.at ?? ''
}
