import http from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { EngineAddress } from './address.ts'
import { EngineUnreachable } from './errors.ts'
import { field, text } from './json.ts'

export type EngineRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Without the version prefix, which the transport adds. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly upload?: Readable
  readonly signal?: AbortSignal | undefined
  /** How long the first byte of the response may take. */
  readonly timeoutMs?: number
  /** The longest response that is parsed, where what it says is chosen by the author of an image. */
  readonly most?: { readonly bytes: number; readonly refusal: string }
}

const KEEP_ALIVE_MS = 30_000
export const ANSWER_TIMEOUT_MS = 60_000

/** Sends one request that turns its connection into another protocol, and gives the connection. */
export function openUpgrade(
  engine: { address: EngineAddress; connectTimeoutMs: number },
  request: EngineRequest,
  { prefix, protocol }: { prefix: string; protocol: string },
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const outgoing = http.request({
      ...engine.address,
      method: request.method,
      path: `${prefix}${request.path}`,
      headers: { ...headersOf(request), connection: 'Upgrade', upgrade: protocol },
      agent: false,
      timeout: engine.connectTimeoutMs,
      ...(request.signal && { signal: request.signal }),
    })
    outgoing.once('upgrade', (_response, socket, head) => {
      socket.setTimeout(0)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    outgoing.once('response', (response) => {
      response.resume()
      reject(new EngineUnreachable(`it did not open a session (${response.statusCode ?? 0})`))
    })
    outgoing.once('timeout', () => outgoing.destroy(new EngineUnreachable('it did not accept the connection in time')))
    outgoing.on('error', (cause) => reject(translate(cause, request.signal)))
    outgoing.end()
  })
}

/** Sends one request over its own connection and returns the response as soon as its headers have arrived. */
export function openRequest(
  engine: { address: EngineAddress; connectTimeoutMs: number },
  request: EngineRequest,
  prefix: string,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { signal, timeoutMs = ANSWER_TIMEOUT_MS } = request
    if (signal?.aborted === true) return reject(reasonOf(signal))
    const outgoing = http.request({
      ...engine.address,
      method: request.method,
      path: `${prefix}${request.path}${queryOf(request.query)}`,
      headers: headersOf(request),
      agent: false,
    })
    const giveUp = (reason: string) => outgoing.destroy(new EngineUnreachable(reason))
    const connecting = setTimeout(() => giveUp('it did not accept the connection in time'), engine.connectTimeoutMs)
    let answering: NodeJS.Timeout | undefined
    let isAnswered = false // an engine may answer before the upload has ended
    const onAbort = () => outgoing.destroy(reasonOf(signal))
    signal?.addEventListener('abort', onAbort, { once: true })
    const settle = () => [connecting, answering].forEach(clearTimeout)
    outgoing.once('socket', (socket) => {
      socket.setKeepAlive(true, KEEP_ALIVE_MS) // a stream to a machine that has disappeared must not wait forever
      socket.once('connect', () => clearTimeout(connecting))
    })
    // An upload may take long, so the response timeout starts when it ends.
    outgoing.once('finish', () => {
      if (!isAnswered && Number.isFinite(timeoutMs)) answering = setTimeout(() => giveUp('it did not answer in time'), timeoutMs)
    })
    outgoing.once('response', (response) => {
      isAnswered = true
      settle()
      response.once('close', () => signal?.removeEventListener('abort', onAbort))
      resolve(response)
    })
    // `on`, not `once`: an upload may fail a second time after the response, and that must not crash the process.
    outgoing.on('error', (cause) => {
      settle()
      signal?.removeEventListener('abort', onAbort)
      reject(translate(cause, signal))
    })
    outgoing.once('close', () => request.upload?.destroy())
    send(outgoing, request)
  })
}

function send(outgoing: http.ClientRequest, request: EngineRequest): void {
  if (request.upload === undefined) {
    outgoing.end(request.body === undefined ? undefined : JSON.stringify(request.body))
    return
  }
  request.upload.once('error', (cause) => outgoing.destroy(cause))
  request.upload.pipe(outgoing)
}

function headersOf(request: EngineRequest): http.OutgoingHttpHeaders {
  const type = request.upload === undefined ? 'application/json' : 'application/x-tar'
  const length = request.upload === undefined && request.body === undefined ? { 'content-length': 0 } : {}
  return { ...request.headers, host: 'engine', ...(request.method === 'GET' ? {} : { 'content-type': type, ...length }) }
}

function queryOf(query: EngineRequest['query']): string {
  const given = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) given.set(key, String(value))
  return given.size === 0 ? '' : `?${given.toString()}`
}

function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException('The operation was aborted', 'AbortError')
}

const LOST = new Set([
  'ENOENT',
  'EACCES',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** A lost connection becomes EngineUnreachable, and any error after an abort becomes the abort reason. */
export function translate(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return reasonOf(signal)
  const code = text(field(cause, 'code'))
  if (cause instanceof SyntaxError) return new EngineUnreachable('its answer was cut short', { cause })
  return LOST.has(code) ? new EngineUnreachable(code, { cause }) : cause
}
