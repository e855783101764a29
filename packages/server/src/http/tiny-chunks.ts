import type { IncomingMessage, Server } from 'node:http'

/** So many may have any size. For each chunk beyond them, a body must have this many bytes. */
const FREE_CHUNKS = 256
const LEAST_BYTES = 64

/**
 * Closes connections with bodies in very small chunks. Node keeps every chunk as an object of some five hundred bytes until it is read, so
 * the limits of bodies and of the streams' own buffers, which count bytes, would let a client fill the memory.
 */
export function refuseTinyChunks(server: Server): void {
  const watch = (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] === undefined) return
    const push = request.push.bind(request)
    let chunks = 0
    let bytes = 0
    request.push = (chunk: Buffer | null) => {
      chunks += 1
      bytes += chunk?.length ?? 0
      const isRefused = bytes < (chunks - FREE_CHUNKS) * LEAST_BYTES && chunk !== null
      if (!isRefused) return push(chunk)
      request.socket.destroy()
      return false // what is left of the same read is dropped
    }
  }
  server.prependListener('request', watch)
  server.prependListener('checkExpectation', watch)
}
