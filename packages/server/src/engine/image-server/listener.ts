import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, LimiterFull } from '../../lib/limiter.ts'
import { handleInTurn } from '../../lib/pipelined-requests.ts'
import { createPullConnections, sourceOf } from './connections.ts'
import { MANIFEST_TYPE } from './manifest.ts'
import { type Asked, askedFor, isAuthorized, wantedPart } from './requests.ts'

export type Named = { readonly name: string; readonly digest: string }
type Stored = { readonly size: number } & ({ readonly path: string } | { readonly bytes: Buffer })
type ListenerDeps = {
  manifest: (named: Named) => Promise<Buffer | undefined>
  blob: (named: Named) => Promise<Stored | undefined>
  log: { warn(fields: object, message: string): void }
}
type Place = {
  readonly address: string
  readonly port: number
  readonly tls: { readonly key: string; readonly cert: string }
  readonly credentials: { readonly username: string; readonly password: string }
}

const SLOW_MS = 1000
const IDLE_MS = 60_000
/** Whoever connects and says nothing must not keep the servers out. */
const HANDSHAKE_MS = 5000
const HEADERS_MS = 5000
const LOOK_MS = 1000
/** Answers with the password. An engine downloads three layers at a time, unless it was told otherwise. */
const ANSWERS = { running: 128, runningPerKey: 16, waiting: 384, waitingPerKey: 48, waitMs: 50_000 }

/** Answers engines that pull. Whoever does not know the password learns nothing. */
export async function listen(deps: ListenerDeps, place: Place): Promise<{ port: number; close: () => Promise<void> }> {
  const connections = createPullConnections()
  const limited = limitedAnswers(deps)
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void answer({ limited, know: connections.know }, place, request, response).catch((err: unknown) => {
      if (!request.destroyed) deps.log.warn({ err }, 'an image could not be given to another server')
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'UNKNOWN')
    })
  const deadlines = { handshakeTimeout: HANDSHAKE_MS, headersTimeout: HEADERS_MS, requestTimeout: IDLE_MS }
  const server = createServer({ ...place.tls, ...deadlines, connectionsCheckingInterval: LOOK_MS, minVersion: 'TLSv1.2' })
  connections.watch(server)
  handleInTurn(server, onRequest)
  server.on('upgrade', (_request, socket) => void socket.destroy()) // to nothing
  server.setTimeout(IDLE_MS)
  server.listen(place.port, place.address)
  await once(server, 'listening') // or it throws
  const address = server.address()
  return { port: typeof address === 'object' && address !== null ? address.port : place.port, close: async () => await close(server) }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

type Answering = {
  limited: (asked: Asked, request: IncomingMessage, response: ServerResponse) => Promise<void>
  know: (socket: Socket) => void
}

async function answer(
  { limited, know }: Answering,
  { credentials }: Place,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { authorization } = request.headers
  if (!isAuthorized(authorization, credentials)) {
    if (authorization !== undefined) await sleep(SLOW_MS)
    response.setHeader('www-authenticate', 'Basic realm="images"').setHeader('connection', 'close')
    return refuse(response, 401, 'UNAUTHORIZED')
  }
  know(request.socket)
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'UNSUPPORTED')
  const asked = askedFor(request.url ?? '')
  if (asked === undefined) return refuse(response, 404, 'NAME_UNKNOWN')
  await limited(asked, request, response)
}

/** A share of the answers for each source, also of those that nobody waits for any more: they may still read or make an image. */
function limitedAnswers(deps: ListenerDeps): Answering['limited'] {
  const limiter = createLimiter(ANSWERS)
  return async (asked, request, response) => {
    const left = new AbortController()
    response.once('close', () => left.abort())
    const work = async () => (response.destroyed ? undefined : await give(deps, asked, request, response))
    await limiter.run(sourceOf(request.socket), work, left.signal).catch((cause: unknown) => {
      if (cause instanceof LimiterFull) refuse(response, 429, 'TOOMANYREQUESTS')
      else if (!left.signal.aborted) throw cause
    })
  }
}

async function give(deps: ListenerDeps, asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('docker-distribution-api-version', 'registry/2.0')
  if (asked.is === 'ping') return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  response.setHeader('docker-content-digest', asked.digest)
  if (asked.is === 'blob') return await giveBlob(await deps.blob(asked), request, response)
  const bytes = await deps.manifest(asked)
  if (bytes === undefined) return refuse(response, 404, 'MANIFEST_UNKNOWN')
  response.writeHead(200, { 'content-type': MANIFEST_TYPE, 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

async function giveBlob(stored: Stored | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (stored === undefined) return refuse(response, 404, 'BLOB_UNKNOWN')
  const { size } = stored
  const part = wantedPart(request.headers.range, size)
  if (part === 'none') return void response.writeHead(416, { 'content-range': `bytes */${size}` }).end()
  const { start, end } = part === 'all' ? { start: 0, end: size - 1 } : part
  response.writeHead(part === 'all' ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    'content-length': end - start + 1,
    ...(part === 'all' ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  })
  if (request.method === 'HEAD' || size === 0) return void response.end()
  if ('bytes' in stored) return void response.end(stored.bytes.subarray(start, end + 1))
  if (response.destroyed) return // whoever asked has left; the file would stay open
  await pipeline(createReadStream(stored.path, { start, end }), response)
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ errors: [{ code }] }))
}
