import { randomUUID } from 'node:crypto'
import { type OperationName, operations } from '@berth/contract'
import { type FastifyReply, fastify } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Authentication } from './authenticate.ts'
import { serveDashboard } from './dashboard-files.ts'
import { docsPage } from './docs-page.ts'
import { createErrorHandler, failureOf } from './error-handler.ts'
import { type Handlers, implement } from './implement.ts'
import { createMissingRoute } from './not-found.ts'
import { openApi } from './openapi.ts'
import type { Loaders } from './policies.ts'
import { addRequestLog } from './request-log.ts'
import { addSecurity } from './security.ts'

type Deps = {
  log: Logger
  authentication: Authentication
  loaders: Loaders
  handlers: Handlers
  dashboardDir: string
  version: string
  isStopping: () => boolean
}

const BODY_LIMIT = 1024 * 1024

/** The contract's own readers check what comes in, so Fastify's two schema compilers are never loaded. */
function noSchemas(): never {
  throw new Error('routes have no schemas of their own: input.ts reads what the contract describes')
}

/** Refusals that Fastify makes before there is a route. */
function sendFailure(reply: Pick<FastifyReply, 'raw'>, error: unknown): void {
  const { status, body } = failureOf(error)
  reply.raw.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

/** The HTTP side of Berth: the contract's operations, its description, and the dashboard's files. */
export async function createHttpServer(deps: Deps) {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    onProtoPoisoning: 'ignore', // the input reader takes named fields only
    onConstructorPoisoning: 'ignore',
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, _request, reply) => sendFailure(reply, error),
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 },
  })
  app.decorateRequest('callerId', 0)
  app.removeContentTypeParser('text/plain')
  addSecurity(app, deps.isStopping)
  addRequestLog(app, deps.log)
  app.setErrorHandler(createErrorHandler(deps.log))
  const gate = { authentication: deps.authentication, loaders: deps.loaders }
  const names = Object.keys(operations) as OperationName[] // exactly the keys of the list
  for (const name of names.filter((operation) => operations[operation].may !== 'signed webhook')) implement(app, name, deps.handlers, gate)
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body)) // a signature is over the bytes
    for (const name of names.filter((operation) => operations[operation].may === 'signed webhook'))
      implement(raw, name, deps.handlers, gate)
  })
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(openApi(deps.version))),
  )
  app.get('/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(docsPage(deps.version)))
  const sendPage = await serveDashboard(app, deps.dashboardDir)
  const missing = createMissingRoute()
  app.setNotFoundHandler((request, reply) => {
    const sent = sendPage(request, reply)
    if (sent === undefined) throw missing(request.url)
    return sent
  })
  return app
}
