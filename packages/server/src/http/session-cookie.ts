import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_DAYS } from './session-token.ts'

/**
 * Over TLS we set the second: browsers accept that name only from this exact host. The first, which an app on a sibling host can also
 * set, is still read over TLS for one version, so that an update logs nobody out.
 */
export const COOKIE_NAMES = { plain: 'berth_session', host: '__Host-berth_session' } as const

export type Kind = keyof typeof COOKIE_NAMES
/** The part of a request that cookies depend on. */
export type CookieRequest = { headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie' | 'host'>; url: string; isTls: boolean }

/** All cookies of a request with our names: a browser sends several if they differ in domain or path. */
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
 * The token of a request: a bearer header wins over cookies. If there are two, one may have been set by an app on a sibling host, and it
 * is unknown which, so both are ignored. Over TLS no sibling host can set the `__Host-` cookie, so it wins over a plain one.
 */
export function readSession(request: Omit<CookieRequest, 'url'>): { token: string | undefined; isDoubled: boolean } {
  const { authorization } = request.headers
  if (authorization !== undefined) return { token: /^Bearer +(\S+)$/i.exec(authorization)?.[1], isDoubled: false }
  const { plain, host } = cookiesOf(request)
  const isDoubled = plain.length > 1 || host.length > 1 || (!request.isTls && plain.length + host.length > 1)
  return { token: isDoubled ? undefined : (host[0] ?? plain[0]) || undefined, isDoubled }
}

function line(kind: Kind, token: string, options: { seconds: number; isTls: boolean }): string {
  const isSecure = options.isTls || kind === 'host' // browsers accept that name only with Secure
  return `${COOKIE_NAMES[kind]}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${options.seconds}${isSecure ? '; Secure' : ''}`
}

/** Removes the cookie with the other name, if present, so that the next request has only one. */
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
