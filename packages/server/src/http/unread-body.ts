import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const SMALL_BYTES = 64 * 1024
const DISCARDED_BYTES = 256 * 1024

/**
 * A client that gets a response before its body was read is still sending, and would lose the response if the connection were closed. So
 * the rest is discarded, up to a limit and for a limited time; then the connection is closed. After a small body it stays open.
 */
export function addUnreadBodyLimit(app: FastifyInstance, waitMs: number): void {
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (!raw.complete) {
      if (!isSmall(raw)) void reply.header('connection', 'close')
      // Node calls this after a response with `Connection: close`, and would close both directions at once.
      if (reply.getHeader('connection') === 'close') raw.socket.destroySoon = () => void raw.socket.end()
      discard(raw)
    }
    done()
  })

  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete && !raw.socket.destroyed) {
      const timer = setTimeout(() => raw.complete || raw.socket.destroy(), waitMs).unref()
      raw.once('close', () => clearTimeout(timer))
    }
    done()
  })
}

function isSmall({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES
}

function discard(raw: IncomingMessage): void {
  let left = DISCARDED_BYTES
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) raw.pause() // beyond that it is not read
  })
}
