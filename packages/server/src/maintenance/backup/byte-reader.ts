import { DamagedBackup } from './damaged-backup.ts'

/** Reads exact numbers of bytes from a stream of chunks. */
export function createByteReader(chunks: AsyncIterable<Buffer>) {
  const source = chunks[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  async function fill(): Promise<boolean> {
    const next = await source.next()
    if (next.done !== true) rest = next.value
    return next.done !== true
  }

  /** The next bytes, in the chunks in which they arrive. A second reader gets what the first left. */
  function piece(size: number): AsyncIterable<Buffer> {
    let left = size
    return {
      async *[Symbol.asyncIterator]() {
        while (left > 0) {
          if (rest.length === 0 && !(await fill())) throw new DamagedBackup('it ends too early')
          const part = rest.subarray(0, left)
          rest = rest.subarray(part.length)
          left -= part.length
          if (part.length > 0) yield part
        }
      },
    }
  }

  async function take(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of piece(size)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** Reads the rest, so that a trailing checksum is verified too. */
  async function end(): Promise<void> {
    while (await fill()) rest = Buffer.alloc(0)
  }

  return { piece, take, end }
}
