import type { Socket } from 'node:net'
import { SourceError } from './errors.ts'

/** How many bytes on the connection one byte of a body may take. Chunks of a hundred bytes, smaller than servers send, take 1.06. */
const MOST_PER_BYTE = 1.25
const MOST_EXTRA_BYTES = 1024 ** 2

/**
 * Refuses answers that need far more bytes on the connection than they carry: a server that sends each byte as a chunk of its own keeps the
 * thread busy for as long as it likes. The extra bytes of all answers are added up, so that many small answers
 * may have no more of them than a single one.
 */
export function createFramingLimit() {
  let extraLeft = MOST_EXTRA_BYTES

  return async function* limited(socket: Pick<Socket, 'bytesRead'>, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const before = socket.bytesRead // the connection may have served other requests
    let bytes = 0
    let extra = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      extra = socket.bytesRead - before - MOST_PER_BYTE * bytes
      if (extra > extraLeft) throw new SourceError('The Git LFS server sends its files in pieces that are too small.')
      yield chunk
    }
    extraLeft -= Math.max(0, extra)
  }
}

export type FramingLimit = ReturnType<typeof createFramingLimit>
