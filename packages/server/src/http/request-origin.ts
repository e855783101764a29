import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Origin } from '../domain/caller.ts'

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

const LONGEST_CLIENT = 200

function firstOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim()
}

/** Forwarded headers are only trusted from loopback, where our own edge is. */
export function originOf(request: IncomingMessage, requestId: string): Origin {
  const peer = request.socket.remoteAddress ?? ''
  const isDirectTls = (request.socket as TLSSocket).encrypted === true // absent on a plain socket
  const client = (request.headers['user-agent'] ?? '').slice(0, LONGEST_CLIENT)
  if (!LOOPBACK.has(peer)) return { address: peer, requestId, isTls: isDirectTls, client }
  const address = firstOf(request.headers['x-forwarded-for']) ?? peer
  const isTls = isDirectTls || firstOf(request.headers['x-forwarded-proto']) === 'https'
  return { address: address.slice(0, 64), requestId, isTls, client }
}

/** Browsers send the origin of the page; it must be exactly ours, not even a sibling subdomain. */
export function isForeignOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers
  if (origin === undefined) return request.headers['sec-fetch-site'] === 'cross-site' || request.headers['sec-fetch-site'] === 'same-site'
  return origin !== `${originOf(request, '').isTls ? 'https' : 'http'}://${host}`
}
