import { createLineSplitter, MAX_LINE_BYTES } from '../build/line-splitter.ts'

export type LogLine = { readonly at: string; readonly stream: 'stdout' | 'stderr'; readonly line: string }

const HEADER_BYTES = 8
const TIMESTAMP_BYTES = 40
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/

/**
 * The engine's log stream as lines. Without a TTY it is framed (1 byte stream, 3 zero bytes, 4 bytes length), otherwise it is plain
 * bytes.
 */
export function createLogReader(options: { isTty: boolean }) {
  const splitters = {
    stdout: createLineSplitter(MAX_LINE_BYTES + TIMESTAMP_BYTES),
    stderr: createLineSplitter(MAX_LINE_BYTES + TIMESTAMP_BYTES),
  }
  let header = Buffer.alloc(0)
  let left = 0
  let stream: LogLine['stream'] = 'stdout'

  function push(chunk: Buffer): LogLine[] {
    if (options.isTty) return splitters.stdout.push(chunk).map((line) => stamped(line, 'stdout'))
    const lines: LogLine[] = []
    let at = 0
    while (at < chunk.length) {
      if (left === 0) {
        const missing = HEADER_BYTES - header.length
        header = Buffer.concat([header, chunk.subarray(at, at + missing)])
        at += missing
        if (header.length < HEADER_BYTES) break
        stream = header[0] === 2 ? 'stderr' : 'stdout'
        left = header.readUInt32BE(4)
        header = Buffer.alloc(0)
        continue
      }
      const part = chunk.subarray(at, at + left)
      at += part.length
      left -= part.length
      for (const line of splitters[stream].push(part)) lines.push(stamped(line, stream))
    }
    return lines
  }

  function end(): LogLine[] {
    return (['stdout', 'stderr'] as const).flatMap((from) => splitters[from].end().map((line) => stamped(line, from)))
  }

  return { push, end }
}

function stamped(line: string, stream: LogLine['stream']): LogLine {
  const at = STAMPED.exec(line)
  return at === null ? { at: '', stream, line } : { at: at[1] ?? '', stream, line: line.slice(at[0].length) }
}
