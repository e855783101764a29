import { EngineError } from './errors.ts'

/** Below this a list is parsed as a whole, which is faster. */
const PARSED_WHOLE = 4 * 1024 * 1024
/** Far above what the engine says about one container. */
const MAX_ITEM = 16 * 1024 * 1024

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d]

/**
 * Reads a list that may be of any length: the engine repeats commands and labels, which apps choose, for each container. Of each item only
 * what `read` takes from it stays in memory.
 */
export async function readArray<Item>(chunks: AsyncIterable<Buffer>, read: (item: unknown) => Item): Promise<Item[]> {
  let first: Buffer[] | undefined = []
  let length = 0
  const found: Item[] = []
  const split = createSplitter((item) => found.push(read(JSON.parse(item.toString('utf8')))))
  for await (const chunk of chunks) {
    length += chunk.length
    if (first !== undefined && length <= PARSED_WHOLE) {
      first.push(chunk)
      continue
    }
    for (const each of first ?? []) split.push(each)
    first = undefined
    split.push(chunk)
  }
  if (first === undefined) {
    split.end()
    return found
  }
  const whole: unknown = length === 0 ? null : JSON.parse(Buffer.concat(first).toString('utf8'))
  return Array.isArray(whole) ? whole.map(read) : []
}

/** Finds the items of a JSON array in chunks that may end anywhere. */
function createSplitter(onItem: (item: Buffer) => void) {
  let parts: Buffer[] = []
  let kept = 0
  let depth = 0
  let isText = false
  let isEscaped = false

  function keep(part: Buffer): void {
    parts.push(part)
    kept += part.length
    if (kept > MAX_ITEM) throw new EngineError(413, 'The container engine says more than 16 MiB about one thing.')
  }

  function finish(last: Buffer): void {
    const item = Buffer.concat([...parts, last])
    parts = []
    kept = 0
    if (item.some((byte) => byte > 0x20)) onItem(item)
  }

  /** The place after a text that began before, or the end of the chunk. Most of a list is text. */
  function afterText(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) {
        isText = false
        return at + 1
      }
    }
    return chunk.length
  }

  function push(chunk: Buffer): void {
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      if (isText) at = afterText(chunk, at)
      const byte = chunk[at]
      if (byte === QUOTE) isText = true
      const wasOutside = depth === 0
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1
      if (wasOutside)
        from = at + 1 // the beginning of the list
      else if (depth === 0 || (depth === 1 && byte === COMMA)) {
        finish(chunk.subarray(from, at))
        from = at + 1
      }
    }
    if (depth > 0) keep(chunk.subarray(from))
  }

  function end(): void {
    if (depth > 0) throw new EngineError(500, 'The container engine did not end its answer.')
  }

  return { push, end }
}
