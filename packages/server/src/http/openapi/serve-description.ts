import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { takesGzip } from '../dashboard-files.ts'
import { openApi } from './openapi.ts'

/** Generated on the first request, and kept as bytes that all responses share. */
function madeOnce(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined
  return () => (made ??= make())
}

/** /openapi.json. The dashboard's page at /docs shows it. */
export function serveDescription(app: FastifyInstance, version: string): void {
  const plain = madeOnce(() => Buffer.from(JSON.stringify(openApi(version))))
  const small = madeOnce(() => gzipSync(plain()))
  app.get('/openapi.json', { exposeHeadRoute: true }, async (request, reply) => {
    const isSmall = takesGzip(request)
    if (isSmall) void reply.header('content-encoding', 'gzip')
    void reply.header('vary', 'accept-encoding').type('application/json; charset=utf-8')
    return reply.send(isSmall ? small() : plain())
  })
}
