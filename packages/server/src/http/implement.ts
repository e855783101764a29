import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Answer, Input, OpenPolicy, Operation, OperationName, Operations, Policy } from '@berth/contract'
import { operations } from '@berth/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Again, Caller, Origin } from '../domain/caller.ts'
import type { AppRow } from '../domain/rows.ts'
import { AppError } from '../lib/app-error.ts'
import type { Reader } from '../store/database.ts'
import { admitAgain } from './admit-again.ts'
import type { Authentication } from './authenticate.ts'
import type { Connections } from './connections.ts'
import type { FairTurns } from './fair-turns.ts'
import { createReadInput, type ReadInput } from './input.ts'
import type { Loaders, Subjects } from './policies.ts'
import { refuseGone } from './refuse-gone.ts'
import { originOf } from './security.ts'
import { clearedCookies, sessionCookies } from './session-cookie.ts'
import { strayCookies } from './stray-cookies.ts'
import { watchAccess } from './watch-access.ts'

/** What a handler can set on the response besides its data. */
type Session = { begin(token: string): void }

type MaybeAgain<P extends Policy> = P extends OpenPolicy ? unknown : { again: Again<Subjects[P]> }

type Request<Name extends OperationName> = Subjects[Operations[Name]['may']] &
  MaybeAgain<Operations[Name]['may']> & {
    input: Input<Name>
    origin: Origin
    session: Session
    /** Our own address, as the caller's browser knows it. */
    site: string
    /** Aborted when the connection closes, so that unneeded work stops. */
    closed: () => AbortSignal
  }
type Shaped<Name extends OperationName> = { text: string | Readable; file: SentFile }[Operations[Name]['shape'] & ('text' | 'file')]
type Result<Name extends OperationName> = Operations[Name]['shape'] extends 'text' | 'file' ? Shaped<Name> : Answer<Name>
/** The name must be fit for a header. The size may be unknown. */
export type SentFile = { readonly name: string; readonly bytes?: number; readonly contents: Readable }

/** Every operation has exactly one handler, and it receives the loaded, authorised object. */
export type Handlers = { [Name in OperationName]: (request: Request<Name>) => Promise<Result<Name>> | Result<Name> }

const STRANGERS_BODY_BYTES = 16 * 1024

type AnyHandler = (request: Record<string, unknown>) => unknown
export type Gate = {
  authentication: Authentication
  loaders: Loaders
  /** The same, as they are in an open transaction. */
  loadersIn: (tx: Reader) => Loaders
  /** Whether a delivery with these headers could have a valid signature. */
  mayBeSigned: (headers: IncomingHttpHeaders, query: unknown) => Promise<boolean>
  /** The app whose deploy hook has the secret in these headers. */
  hookedApp: (headers: IncomingHttpHeaders, params: unknown) => Promise<AppRow>
  connections: Pick<Connections, 'known'>
  turns: FairTurns
  /** Called with who used which host name. */
  onCaller: (caller: Caller, host: string | undefined) => void
}

function readersOf(line: Operation): (request: FastifyRequest) => Record<string, unknown> {
  const parts: [ReadInput, 'params' | 'query' | 'body'][] = []
  if (line.params) parts.push([createReadInput(line.params, 'path'), 'params'])
  if (line.query) parts.push([createReadInput(line.query, 'query'), 'query'])
  if (line.body) parts.push([createReadInput(line.body, 'body'), 'body'])
  const [only] = parts
  if (parts.length === 1 && only) return (request) => only[0](request[only[1]])
  return (request) => Object.assign({}, ...parts.map(([read, place]) => read(request[place]))) as Record<string, unknown> // each reader gives a record
}

/**
 * Before the body is read: authenticates the caller and checks the role. Anonymous bodies are only read where anonymous requests are
 * allowed.
 */
async function enter(gate: Gate, may: Policy, request: FastifyRequest): Promise<void> {
  if (may === 'anyone') return
  if (may === 'signed webhook') {
    if (!(await gate.mayBeSigned(request.headers, request.query))) throw new AppError('webhook_not_verified')
    return
  }
  if (may === 'deploy hook') return void (await gate.hookedApp(request.headers, request.params))
  const caller = await gate.authentication.authenticate(request.headers, originOf(request.raw, request.id))
  if (!caller) throw new AppError('not_signed_in')
  request.caller = caller
  gate.connections.known(request.raw.socket, caller.id)
  gate.onCaller(caller, request.headers.host)
  if (may === 'admin' || may === 'owner') await gate.loaders[may](caller, {})
}

/** A body may take a minute to arrive, and the session may have ended in that time. A request with a body has had its turn already. */
async function callerNow(gate: Gate, request: FastifyRequest): Promise<Caller> {
  const { caller } = request
  const hasWaited = request.body !== undefined || (caller !== undefined && (await gate.turns.begin(caller.id)))
  const now = caller && (hasWaited ? await gate.authentication.callerOfSession(caller.sessionId, caller.origin) : caller)
  if (!now) throw new AppError('not_signed_in')
  return now
}

async function admit(gate: Gate, may: Policy, request: FastifyRequest, read: (request: FastifyRequest) => Record<string, unknown>) {
  const origin = originOf(request.raw, request.id)
  if (may === 'anyone') return { origin, input: read(request) }
  if (may === 'signed webhook') return { origin, input: read(request), raw: rawOf(request) }
  if (may === 'deploy hook') return { origin, app: await gate.hookedApp(request.headers, request.params), input: read(request) }
  const caller = await callerNow(gate, request)
  if (may === 'admin' || may === 'owner') await gate.loaders[may](caller, {}) // the role is checked before the input
  const input = read(request)
  return { origin, input, ...(await gate.loaders[may](caller, input)), again: admitAgain(gate, { may, caller, input }) }
}

/** The raw bytes, which the signature covers. */
function rawOf({ headers, body }: FastifyRequest) {
  return { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) }
}

function askedBy(request: FastifyRequest) {
  return { headers: request.headers, url: request.url, isTls: originOf(request.raw, request.id).isTls }
}

function sessionOf(request: FastifyRequest, reply: FastifyReply): Session {
  const asked = askedBy(request)
  return { begin: (token) => void reply.header('set-cookie', [...sessionCookies(asked, token), ...strayCookies(asked)]) }
}

function siteOf(request: FastifyRequest): string {
  return `${originOf(request.raw, request.id).isTls ? 'https' : 'http'}://${request.headers.host ?? ''}`
}

function closeSignal(reply: FastifyReply): AbortSignal {
  const closed = new AbortController()
  if (reply.raw.destroyed) closed.abort()
  else reply.raw.once('close', () => closed.abort())
  return closed.signal
}

function send(reply: FastifyReply, line: Operation, result: unknown): FastifyReply {
  if (line.shape === 'redirect') return reply.redirect(String(result), 303)
  if (line.shape === 'file') return sendFile(reply, result as SentFile) // as the type of its handler says
  if (line.shape === 'text') return reply.type('text/plain; charset=utf-8').send(result)
  const body =
    line.shape === 'bare'
      ? result
      : line.message === undefined
        ? { success: true, data: result }
        : { success: true, message: line.message, data: result }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

function sendFile(reply: FastifyReply, { name, bytes, contents }: SentFile): FastifyReply {
  const length = bytes === undefined ? {} : { 'content-length': String(bytes) }
  const headers = { 'content-disposition': `attachment; filename="${name}"`, ...length }
  return reply.type('application/octet-stream').headers(headers).send(contents)
}

/** A client decides how long a download lasts, so it ends with the access that it began with. */
function endWithAccess(gate: Gate, may: Policy, admitted: Record<string, unknown>, result: unknown): void {
  const contents = result instanceof Readable ? result : (result as Partial<SentFile> | undefined)?.contents
  const { caller, input } = admitted as { caller?: Caller; input: Record<string, unknown> } // as `admit` returns it
  if (may === 'anyone' || may === 'signed webhook' || may === 'deploy hook' || caller === undefined || contents === undefined) return
  const unwatch = watchAccess(gate, { caller, may, input }, () => contents.destroy(new Error('access ended')))
  contents.once('close', unwatch)
}

/** Anonymous requests are logins, the setup and deploy hooks: fields of a few hundred characters. */
function bodyLimitOf({ bodyLimit, may }: Operation): { bodyLimit?: number } {
  if (bodyLimit !== undefined) return { bodyLimit }
  return may === 'anyone' || may === 'deploy hook' ? { bodyLimit: STRANGERS_BODY_BYTES } : {}
}

/** One line of the contract and its handler become a route, policy included. */
export function implement(app: FastifyInstance, name: OperationName, handlers: Handlers, gate: Gate): void {
  const line: Operation = operations[name]
  const read = readersOf(line)
  const handler = handlers[name] as unknown as AnyHandler // the map's type ties each name to its handler; the loop over names loses that
  app.route({
    method: line.method,
    url: line.path,
    ...bodyLimitOf(line),
    exposeHeadRoute: line.method === 'GET' && line.may === 'anyone' && line.shape !== 'file', // monitors check /health with HEAD
    async onRequest(request, reply) {
      const asked = askedBy(request)
      if (name === 'auth.logout') reply.header('set-cookie', clearedCookies(asked)) // also when there is no session
      await enter(gate, line.may, request).catch((cause: unknown) => {
        for (const cookie of strayCookies(asked)) void reply.header('set-cookie', cookie)
        throw cause
      })
    },
    async handler(request, reply) {
      const admitted = await admit(gate, line.may, request, read)
      request.body = undefined // otherwise an unneeded body would stay in memory while the call waits
      const result = handler({ ...admitted, session: sessionOf(request, reply), site: siteOf(request), closed: () => closeSignal(reply) })
      const refuse = async (cause: unknown) => await refuseGone(gate.loaders, { ...admitted, may: line.may }, cause)
      const answer: unknown = result instanceof Promise ? await result.catch(refuse) : result
      if (line.shape === 'text' || line.shape === 'file') endWithAccess(gate, line.may, admitted, answer)
      return send(reply, line, answer)
    },
  })
}
