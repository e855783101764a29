import type { IncomingHttpHeaders } from 'node:http'
import { jwtVerify, SignJWT } from 'jose'
import type { Caller, Origin } from '../domain/caller.ts'
import { createSessionLookup, findSessionUser } from '../domain/rows.ts'
import { AppError } from '../lib/app-error.ts'
import type { Db, Reader } from '../store/database.ts'

export const SESSION_DAYS = 30
const KEPT_TOKENS = 10_000
const TWO_SESSIONS = 'The request has two session cookies, so neither is accepted. Reload the page, or log in again.'

/** Finds the person behind a request from its headers, or undefined. */
export function createAuthenticate(deps: { db: Db; tokens: Pick<SessionTokens, 'read'>; now: () => Date }) {
  const lookUp = createSessionLookup(deps.db)

  /** Given an open transaction, the session is read in it. */
  async function callerOfSession(sessionId: string, origin: Origin, tx?: Reader): Promise<Caller | undefined> {
    const user = await (tx ? findSessionUser(tx, sessionId) : lookUp(sessionId))
    if (!user || Date.parse(user.expiresAt) <= deps.now().getTime()) return undefined
    return { id: user.id, email: user.email, role: user.role, createdAt: user.createdAt, sessionId, origin }
  }

  async function authenticate(headers: IncomingHttpHeaders, origin: Origin): Promise<Caller | undefined> {
    const { token, isDoubled } = readSession({ headers, isTls: origin.isTls })
    if (isDoubled) throw new AppError('not_signed_in', { message: TWO_SESSIONS })
    if (token === undefined) return undefined
    const claims = await deps.tokens.read(token)
    return claims && (await callerOfSession(claims.sessionId, origin))
  }

  return { authenticate, callerOfSession }
}

export type Authentication = ReturnType<typeof createAuthenticate>

/** Over TLS only the second is set and read: browsers accept that name only from this exact host, and the first also from a sibling host. */
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
 * is unknown which, so both are ignored. Over TLS a plain cookie is no session, also if it is the only one: for somebody who is logged out,
 * a sibling host may have set it.
 */
export function readSession(request: Omit<CookieRequest, 'url'>): { token: string | undefined; isDoubled: boolean } {
  const { authorization } = request.headers
  if (authorization !== undefined) return { token: /^Bearer +(\S+)$/i.exec(authorization)?.[1], isDoubled: false }
  const { plain, host } = cookiesOf(request)
  const [only, second] = request.isTls ? host : [...host, ...plain]
  const isDoubled = second !== undefined
  return { token: isDoubled ? undefined : only || undefined, isDoubled }
}

export type SessionClaims = { sessionId: string; expiresAt: number }

/** Signs and verifies session tokens. Verified signatures are cached; whether the session still exists is checked each time. */
export function createSessionTokens(key: Uint8Array) {
  const proven = new Map<string, SessionClaims>()

  async function sign(claims: { userId: number; sessionId: string; issuedAt: Date }): Promise<string> {
    const issuedAt = Math.floor(claims.issuedAt.getTime() / 1000)
    return await new SignJWT({ sid: claims.sessionId })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(String(claims.userId))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + SESSION_DAYS * 24 * 3600)
      .sign(key)
  }

  async function prove(token: string): Promise<SessionClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        clockTolerance: 300,
      })
      const { sid, exp } = payload
      if (typeof sid !== 'string' || exp === undefined) return undefined
      return { sessionId: sid, expiresAt: exp * 1000 }
    } catch {
      return undefined // forged, expired or not a token: the caller does not distinguish these
    }
  }

  async function read(token: string): Promise<SessionClaims | undefined> {
    const known = proven.get(token)
    if (known) return known.expiresAt > Date.now() ? known : undefined
    if (token.length > 4096) return undefined
    const claims = await prove(token)
    if (!claims) return undefined
    if (proven.size >= KEPT_TOKENS) proven.clear()
    proven.set(token, claims)
    return claims
  }

  return { sign, read }
}

export type SessionTokens = ReturnType<typeof createSessionTokens>
