import type { FastifyInstance } from 'fastify'
import type { Logger } from '../lib/logger.ts'

/** Logs one line per request, with the id that the response carries. The query string is left out, because it may contain private data. */
export function addRequestLog(app: FastifyInstance, log: Pick<Logger, 'info'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const end = request.url.indexOf('?')
    log.info(
      {
        requestId: request.id,
        method: request.method,
        path: end === -1 ? request.url : request.url.slice(0, end),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        userId: request.caller?.id ?? 0,
      },
      'request',
    )
    done()
  })
}
