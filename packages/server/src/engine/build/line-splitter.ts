import { StringDecoder } from 'node:string_decoder'

export const MAX_LINE_BYTES = 16 * 1024
export const CUT_MARK = ' … [line cut]'

/** Bytes to lines. A line over the limit is cut with a mark and the rest is dropped, so memory use is bounded. */
export function createLineSplitter(limit = MAX_LINE_BYTES) {
  const decoder = new StringDecoder('utf8')
  let kept = ''
  let bytes = 0
  let isCut = false

  function take(part: Buffer): void {
    if (isCut) return
    const room = limit - bytes
    kept += decoder.write(part.length > room ? part.subarray(0, room) : part)
    bytes += Math.min(part.length, room)
    isCut = part.length > room
  }

  function finishLine(): string {
    const rest = decoder.end() // it is ready for the next line after that
    const whole = isCut ? kept + CUT_MARK : kept + rest
    kept = ''
    bytes = 0
    isCut = false
    return withoutReturn(whole)
  }

  function push(chunk: Buffer): string[] {
    const lines: string[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      if (bytes === 0 && at - from <= limit) lines.push(withoutReturn(chunk.toString('utf8', from, at)))
      else {
        take(chunk.subarray(from, at))
        lines.push(finishLine())
      }
      from = at + 1
    }
    take(chunk.subarray(from))
    return lines
  }

  /** The rest, if the source ends without a line feed. */
  function end(): string[] {
    return bytes > 0 ? [finishLine()] : []
  }

  return { push, end }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

export type LineSplitter = ReturnType<typeof createLineSplitter>
