import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Origin } from '../domain/caller.ts'
import { AppError } from '../lib/app-error.ts'

// A form of the dashboard leads to GitHub, or to an own GitHub Enterprise, where an app is created; so forms may lead to other https hosts.
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self' https:; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}
const NO_HOST = 'The request has no Host header.'
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

const AMBIGUOUS = /\/[/.]|\\|%(?:2f|2e|5c|00)/i

/** Paths that another router could interpret differently are refused before anything else. */
export function isAmbiguousPath(url: string): boolean {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return AMBIGUOUS.test(path)
}

export function addSecurity(app: FastifyInstance, isStopping: () => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS)
    reply.header('x-request-id', request.id)
    if (isStopping()) return done(new AppError('stopping'))
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(new AppError('invalid_request', { message: NO_HOST }))
    if (isAmbiguousPath(request.url)) return done(new AppError('invalid_path'))
    if (!SAFE_METHODS.has(request.method) && isForeignOrigin(request.raw)) return done(new AppError('foreign_origin'))
    return done()
  })
}

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
