import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorCode } from '../../../lib/error-code.ts'
import { type LogLine, parseLines } from './log-lines.ts'

/** A position in a log: the number of lines and bytes before it. */
export type LogPlace = { readonly lines: number; readonly bytes: number }
type Piece = { readonly lines: readonly LogLine[]; readonly end: LogPlace }

const LINE_FEED = 0x0a
/** No stored line is longer, so a chunk always contains a line end. */
const PIECE_BYTES = 64 * 1024
const LINES_AT_ONCE = 250

/** The bytes of a file up to `end`, in chunks, so that memory use does not depend on the size of the log. */
async function* piecesOf(file: FileHandle, from: number, end: number): AsyncGenerator<Buffer> {
  const room = Buffer.allocUnsafe(PIECE_BYTES)
  for (let at = from; at < end; ) {
    const { bytesRead } = await file.read(room, 0, Math.min(room.length, end - at), at)
    if (bytesRead === 0) return
    yield room.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** The last bytes before `end`. */
async function tailOf(file: FileHandle, end: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of piecesOf(file, Math.max(0, end - PIECE_BYTES), end)) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** The end of the last complete line: a crash can leave half a line after it. */
export async function wholeLinesEnd(file: FileHandle): Promise<number> {
  for (let end = (await file.stat()).size; end > 0; ) {
    const tail = await tailOf(file, end)
    const last = tail.lastIndexOf(LINE_FEED)
    if (last !== -1) return Math.max(0, end - PIECE_BYTES) + last + 1
    end -= PIECE_BYTES
  }
  return 0
}

export async function countLines(file: FileHandle, end: number): Promise<number> {
  let count = 0
  for await (const piece of piecesOf(file, 0, end)) count += endOfLines(piece, 0, Number.POSITIVE_INFINITY).lines
  return count
}

export async function lastLine(file: FileHandle): Promise<LogLine | undefined> {
  const tail = await tailOf(file, await wholeLinesEnd(file))
  return parseLines(tail.toString('utf8'), 0).at(-1)
}

/** The log without the stream markers, as the REST API returns it. */
export async function* textOf(path: string, end: number | undefined): AsyncGenerator<Buffer> {
  await using file = await openIfThere(path)
  if (!file) return
  let isMark = true
  for await (const piece of piecesOf(file, 0, end ?? (await wholeLinesEnd(file)))) {
    const text = Buffer.allocUnsafe(piece.length)
    let length = 0
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0
      if (!isMark) text[length++] = byte
      isMark = byte === LINE_FEED
    }
    yield text.subarray(0, length)
  }
}

/** Complete lines from a position up to `end`. Lines up to `after` are counted and skipped. */
export async function* readLines(path: string, from: LogPlace, options: { end: number | undefined; after: number }): AsyncGenerator<Piece> {
  await using file = await openIfThere(path)
  if (!file) return
  let place = from
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of piecesOf(file, from.bytes, options.end ?? (await wholeLinesEnd(file)))) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let at = 0
    for (;;) {
      const isWanted = place.lines >= options.after
      const next = endOfLines(bytes, at, isWanted ? LINES_AT_ONCE : options.after - place.lines)
      if (next.lines === 0) break
      const lines = isWanted ? parseLines(bytes.toString('utf8', at, next.end), place.lines) : []
      place = { lines: place.lines + next.lines, bytes: place.bytes + next.end - at }
      at = next.end
      yield { lines, end: place }
      if (isWanted) await nextTurn() // yields to other work: a log can have millions of lines
    }
    rest = Buffer.from(bytes.subarray(at)) // a copy, because the next chunk is read into the same buffer
  }
}

/** A piece of a log that is stored elsewhere as well. */
export type LogPart = { readonly start: number; readonly bytes: number; readonly hash: string }

export function hashOf(bytes: Buffer): LogPart['hash'] {
  return createHash('sha256').update(bytes).digest('base64')
}

const PART_BYTES = 256 * 1024

async function bytesOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of piecesOf(file, start, end)) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** How many bytes of the file are the same as in these parts, up to the end of one of them. */
export async function matchingBytes(file: FileHandle, parts: readonly LogPart[]): Promise<number> {
  let matching = 0
  for (const { start, bytes, hash } of parts) {
    const found = await bytesOf(file, start, start + bytes)
    if (found.length < bytes || hashOf(found) !== hash) break
    matching = start + bytes
  }
  return matching
}

/** The complete lines from a place up to `end`, in parts that can be stored. */
export async function* wholeLinesFrom(
  path: string,
  from: number,
  end: number | undefined,
): AsyncGenerator<{ start: number; text: Buffer }> {
  await using file = await openIfThere(path)
  if (!file) return
  const last = Math.min(end ?? Number.POSITIVE_INFINITY, await wholeLinesEnd(file))
  for (let start = from; start < last; ) {
    const bytes = await bytesOf(file, start, Math.min(last, start + PART_BYTES))
    const text = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1)
    if (text.length === 0) return
    yield { start, text }
    start += text.length
  }
}

function endOfLines(bytes: Buffer, from: number, most: number): { lines: number; end: number } {
  let [lines, end] = [0, from]
  for (let at = from; at < bytes.length && lines < most; at += 1) {
    if (bytes[at] !== LINE_FEED) continue
    lines += 1
    end = at + 1
  }
  return { lines, end }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw cause
  }
}
