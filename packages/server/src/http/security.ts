import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { isForeignOrigin } from './request-origin.ts'

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
