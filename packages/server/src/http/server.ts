import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { type OperationName, operations } from '@berth/contract'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import { handleInTurn } from '../lib/pipelined-requests.ts'
import type { Tuning } from '../lib/tuning.ts'
import type { Connections } from './connections.ts'
import { serveDashboard } from './dashboard-files.ts'
import { createErrorHandler, failureOf } from './error-handler.ts'
import { type Gate, type Handlers, implement } from './implement.ts'
import { createMissingRoute } from './not-found.ts'
import { serveDescription } from './openapi/serve-description.ts'
import { createBodyParsers } from './read-body.ts'
import { addSecurity } from './security.ts'
import { refuseTinyChunks } from './tiny-chunks.ts'
import { addAnswerLimit, closeUnread } from './unread-answers.ts'
import { addUnreadBodyLimit } from './unread-body.ts'

type Deps = {
  log: Logger
  gate: Gate
  handlers: Handlers
  connections: Connections
  dashboardDir: string
  version: string
  isStopping: () => boolean
  tuning: Pick<Tuning, 'headMs' | 'bodyDeadlineMs' | 'bodyPaceMs' | 'unreadBodyMs' | 'answerPaceMs' | 'idleConnectionMs'>
}

const BODY_LIMIT = 1024 * 1024
const KEEP_ALIVE_MS = 72_000

/** Our own input readers validate requests, so Fastify's two schema compilers are never loaded. */
function noSchemas(): never {
  throw new Error('routes have no schemas of their own: input.ts reads what the contract describes')
}

/** Errors that Fastify sends before there is a route. Hooks do not see them, so the rest of the body must be handled here. */
function sendFailure(reply: Pick<FastifyReply, 'raw'>, error: unknown): void {
  const { status, body } = failureOf(error)
  reply.raw.writeHead(status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' }).end(JSON.stringify(body))
}

function isRead({ method }: { method: string }): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Fastify asks for one for each address it listens on. */
function createNodeServer({ connections, tuning }: Pick<Deps, 'connections' | 'tuning'>, handle: RequestListener) {
  const { headMs, bodyDeadlineMs, idleConnectionMs } = tuning
  const server = createServer({
    headersTimeout: headMs,
    requestTimeout: headMs + bodyDeadlineMs, // for the whole request, including one answered before its body arrived
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false, // Node would answer out of turn; `security.ts` requires it instead
  })
  server.setTimeout(idleConnectionMs)
  connections.watch(server)
  const looking = setInterval(closeUnread(server), tuning.answerPaceMs).unref()
  server.once('close', () => clearInterval(looking))
  handleInTurn(server, handle)
  refuseTinyChunks(server)
  return server
}

/** Logs one line per request, with the id that the response carries. The query string is left out, because it may contain private data. */
function addRequestLog(app: FastifyInstance, log: Pick<Logger, 'info'>): void {
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

/** The HTTP side of Berth: the contract's operations, its description, and the dashboard's files. */
export async function createHttpServer(deps: Deps) {
  const app = fastify({
    logger: false,
    serverFactory: (handle) => createNodeServer(deps, handle),
    bodyLimit: BODY_LIMIT,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: false, // Fastify would run the whole GET, and read a stream to its end although nobody waits for it
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, _request, reply) => sendFailure(reply, error),
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 },
  })
  app.decorateRequest('caller', undefined)
  const parsers = createBodyParsers(deps.tuning, deps.gate.turns)
  parsers.forJson(app)
  const missing = createMissingRoute()
  addSecurity(app, deps.isStopping)
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 && !isRead(request) ? missing(request.url) : undefined)) // skips the body
  addUnreadBodyLimit(app, deps.tuning.unreadBodyMs)
  addAnswerLimit(app)
  addRequestLog(app, deps.log)
  app.setErrorHandler(createErrorHandler(deps.log))
  const names = Object.keys(operations) as OperationName[] // exactly the keys of the list
  for (const name of names.filter((operation) => operations[operation].may !== 'signed webhook'))
    implement(app, name, deps.handlers, deps.gate)
  await app.register(async (raw) => {
    parsers.forDeliveries(raw)
    for (const name of names.filter((operation) => operations[operation].may === 'signed webhook'))
      implement(raw, name, deps.handlers, deps.gate)
  })
  serveDescription(app, deps.version)
  const sendPage = serveDashboard(deps.dashboardDir)
  app.setNotFoundHandler((request, reply) => {
    const sent = sendPage(request, reply)
    if (sent === undefined) throw missing(request.url)
    return sent
  })
  return app
}
