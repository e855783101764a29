import { StringDecoder } from 'node:string_decoder'

export const MAX_LINE_BYTES = 16 * 1024
export const CUT_MARK = ' … [line cut]'

/** Bytes to lines. A line over the limit is cut with a mark and the rest of it is dropped, so memory stays flat whatever is written. */
export function createLineSplitter(limit = MAX_LINE_BYTES) {
  let decoder = new StringDecoder('utf8')
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
    const whole = isCut ? kept + CUT_MARK : kept + decoder.end()
    decoder = new StringDecoder('utf8')
    kept = ''
    bytes = 0
    isCut = false
    return whole.endsWith('\r') ? whole.slice(0, -1) : whole
  }

  function push(chunk: Buffer): string[] {
    const lines: string[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at))
      lines.push(finishLine())
      from = at + 1
    }
    take(chunk.subarray(from))
    return lines
  }

  /** What is left when the source ends without a line feed. */
  function end(): string[] {
    return bytes > 0 ? [finishLine()] : []
  }

  return { push, end }
}

export type LineSplitter = ReturnType<typeof createLineSplitter>
