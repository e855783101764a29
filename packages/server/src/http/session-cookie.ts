import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_DAYS } from './session-token.ts'

/**
 * Over TLS we set the second: a browser takes that name from this very host alone. The first, which an app on a neighbouring
 * host can set too, is still read over TLS for one version, so that nobody is signed out by an update.
 */
export const COOKIE_NAMES = { plain: 'berth_session', host: '__Host-berth_session' } as const

export type Kind = keyof typeof COOKIE_NAMES
/** The part of a request that cookies depend on. */
export type CookieRequest = { headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie' | 'host'>; url: string; isTls: boolean }

/** Every cookie of our names that a request carries: a browser sends several when they differ in domain or path. */
export function cookiesOf({ headers }: Pick<CookieRequest, 'headers'>): Record<Kind, string[]> {
  const found: Record<Kind, string[]> = { plain: [], host: [] }
  for (const pair of headers.cookie?.split(';') ?? []) {
    const end = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, end)).trim()
    if (name === COOKIE_NAMES.plain) found.plain.push(pair.slice(end + 1).trim())
    else if (name === COOKIE_NAMES.host) found.host.push(pair.slice(end + 1).trim())
  }
  return found
}

/**
 * The token of a request: a bearer header wins over cookies. Of two cookies one may have been set by an app on a neighbouring
 * host, and nobody can tell which, so neither counts. Over TLS no neighbour can set the `__Host-` one: it wins over a plain one.
 */
export function readSession(request: Omit<CookieRequest, 'url'>): { token: string | undefined; isDoubled: boolean } {
  const { authorization } = request.headers
  if (authorization !== undefined) return { token: /^Bearer +(\S+)$/i.exec(authorization)?.[1], isDoubled: false }
  const { plain, host } = cookiesOf(request)
  const isDoubled = plain.length > 1 || host.length > 1 || (!request.isTls && plain.length + host.length > 1)
  return { token: isDoubled ? undefined : (host[0] ?? plain[0]) || undefined, isDoubled }
}

function line(kind: Kind, token: string, options: { seconds: number; isTls: boolean }): string {
  const isSecure = options.isTls || kind === 'host' // a browser takes that name with Secure alone
  return `${COOKIE_NAMES[kind]}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${options.seconds}${isSecure ? '; Secure' : ''}`
}

/** Removes the other name where the browser has it, so that the next request carries one cookie. */
function answerTo(request: CookieRequest, token: string, seconds: number): string[] {
  const { isTls } = request
  const [kind, other]: [Kind, Kind] = isTls ? ['host', 'plain'] : ['plain', 'host']
  const own = line(kind, token, { seconds, isTls })
  return cookiesOf(request)[other].length === 0 ? [own] : [own, clearedCookie(other, isTls)]
}

export function clearedCookie(kind: Kind, isTls: boolean): string {
  return line(kind, '', { seconds: 0, isTls })
}

export function sessionCookies(request: CookieRequest, token: string): string[] {
  return answerTo(request, token, SESSION_DAYS * 24 * 3600)
}

export function clearedCookies(request: CookieRequest): string[] {
  return answerTo(request, '', 0)
}
