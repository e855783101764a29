import { jwtVerify, SignJWT } from 'jose'

export const SESSION_DAYS = 30
const KEPT_TOKENS = 10_000

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
