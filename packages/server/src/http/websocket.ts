import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type OpenPolicy, type Policy, type SocketName, type Sockets, sockets } from '@berth/contract'
import type { Static, TObject } from 'typebox'
import { type WebSocket, WebSocketServer } from 'ws'
import { AppError } from '../lib/app-error.ts'
import type { Logger } from '../lib/logger.ts'
import type { Authentication } from './authenticate.ts'
import type { Connections } from './connections.ts'
import { failureOf } from './error-handler.ts'
import { createReadInput, type ReadInput } from './input.ts'
import type { Loaders, Subjects } from './policies.ts'
import { isAmbiguousPath, isForeignOrigin, originOf } from './security.ts'
import { createPeer, type Peer } from './socket-peer.ts'
import { strayCookies } from './stray-cookies.ts'
import { watchAccess } from './watch-access.ts'

type Part<Name extends SocketName, Key extends 'params' | 'query'> =
  Sockets[Name] extends Record<Key, infer Schema extends TObject> ? Static<Schema> : unknown
type StreamRequest<Name extends SocketName> = Subjects[Sockets[Name]['may']] & {
  input: Part<Name, 'params'> & Part<Name, 'query'>
  signal: AbortSignal
  send: Peer['send']
  sendEncoded: Peer['sendEncoded']
  sendEncodedAndWait: Peer['sendEncodedAndWait']
  room: Peer['room']
}

/** A stream runs until it ends, which closes the socket, or until its signal aborts. */
export type Streams = { [Name in SocketName]: (request: StreamRequest<Name>) => Promise<void> }

type Deps = {
  server: Server
  authentication: Authentication
  loaders: Loaders
  connections: Pick<Connections, 'startStream'>
  streams: Streams
  newId: () => string
  log: Logger
  isStopping: () => boolean
}
type Line = {
  name: SocketName
  may: Exclude<Policy, OpenPolicy>
  pattern: RegExp
  readParams: ReadInput
  readQuery: ReadInput
}
type AnyStream = (request: Record<string, unknown>) => Promise<void>

const NOTHING = { type: 'object', properties: {}, required: [] } as unknown as TObject // a schema without fields
const REFUSED_MS = 2000
const WITH_BODY = 'A request that opens a WebSocket must not have a body.'
const TOO_MANY_STREAMS = 'This account has too many live connections. Close some Berth pages, then try again.'

function lines(): Line[] {
  return (Object.keys(sockets) as SocketName[]).map((name) => {
    const line: { path: string; may: Policy; params?: TObject; query?: TObject } = sockets[name]
    return {
      name,
      may: line.may as Line['may'], // no socket is public, which a test checks
      pattern: new RegExp(`^${line.path.replaceAll(/:([A-Za-z]+)/g, '(?<$1>[^/]+)')}$`),
      readParams: createReadInput(line.params ?? NOTHING, 'path'),
      readQuery: createReadInput(line.query ?? NOTHING, 'query'),
    }
  })
}

function queryOf(url: URL): Record<string, unknown> {
  const query = new Map<string, string[]>()
  for (const [name, value] of url.searchParams) {
    const values = query.get(name)
    if (values) values.push(value)
    else query.set(name, [value])
  }
  return Object.fromEntries([...query].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

/** What follows the head of an upgrade is read as frames, so a body would be too. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

function refuse(socket: Duplex, error: unknown, cookies: readonly string[]): void {
  const { status, body } = failureOf(error)
  const text = JSON.stringify(body)
  const setCookies = cookies.map((cookie) => `Set-Cookie: ${cookie}\r\n`).join('')
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n${setCookies}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  socket.resume()
  setTimeout(() => socket.destroy(), REFUSED_MS).unref() // otherwise a client that never closes its side would keep the connection open forever
}

/** Every socket is checked by the same policies as HTTP, before the upgrade and regularly while it is open. */
export function createWebSockets(deps: Deps) {
  const { authentication, loaders, log } = deps
  const table = lines()
  // Streams take no input: messages from clients are dropped, and pings are answered when the buffer has space.
  const wss = new WebSocketServer({ noServer: true, maxPayload: 1024, maxFragments: 1, autoPong: false, perMessageDeflate: false })
  const open = new Set<Peer>()

  async function admit(request: IncomingMessage) {
    if (deps.isStopping()) throw new AppError('stopping')
    if (isAmbiguousPath(request.url ?? '/')) throw new AppError('not_found')
    const url = new URL(request.url ?? '/', 'http://localhost')
    const line = table.find(({ pattern }) => pattern.test(url.pathname))
    if (!line) throw new AppError('not_found')
    const caller = await authentication.authenticate(request.headers, originOf(request, deps.newId()))
    if (!caller) throw new AppError('not_signed_in')
    if (isForeignOrigin(request)) throw new AppError('foreign_origin')
    if (hasBody(request)) throw new AppError('invalid_request', { message: WITH_BODY })
    const input = { ...line.readParams({ ...line.pattern.exec(url.pathname)?.groups }), ...line.readQuery(queryOf(url)) }
    // before anything is loaded, which may ask the engine
    if (!deps.connections.startStream(request.socket, caller.id)) throw new AppError('server_busy', { message: TOO_MANY_STREAMS })
    const subject = await loaders[line.may](caller, input)
    return { line, caller, input, subject }
  }

  async function serve(ws: WebSocket, socket: Duplex, admitted: Awaited<ReturnType<typeof admit>>): Promise<void> {
    const { line, caller, input, subject } = admitted
    const peer = createPeer(ws, socket)
    open.add(peer)
    const unwatch = watchAccess(deps, { caller, may: line.may, input }, () => peer.close(1008, 'access ended'))
    peer.signal.addEventListener('abort', unwatch, { once: true })
    const { send, sendEncoded, sendEncodedAndWait, room, signal } = peer
    const stream = deps.streams[line.name] as unknown as AnyStream // the map's type ties each name to its stream; the lookup loses that
    try {
      await stream({ ...subject, input, signal, send, sendEncoded, sendEncodedAndWait, room })
      peer.close(1000, 'done')
    } catch (err) {
      if (!peer.signal.aborted) log.error({ socket: line.name, err }, 'Stream failed')
      peer.close(1011, 'the stream failed')
    } finally {
      open.delete(peer)
    }
  }

  deps.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    admit(request).then(
      (admitted) => {
        if (socket.destroyed) return
        if (deps.isStopping()) return refuse(socket, new AppError('stopping'), [])
        wss.handleUpgrade(request, socket, head, (ws) => void serve(ws, socket, admitted))
      },
      (error: unknown) => {
        if (failureOf(error).status >= 500) log.error({ err: error }, 'Upgrade failed')
        refuse(socket, error, strayCookies({ headers: request.headers, url: request.url ?? '/', isTls: originOf(request, '').isTls }))
      },
    )
  })

  return {
    closeAll: () => {
      for (const peer of open) peer.close(1001, 'Berth is stopping')
    },
  }
}
