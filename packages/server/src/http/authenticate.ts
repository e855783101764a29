import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Origin } from '../domain/caller.ts'
import { createSessionLookup } from '../domain/rows.ts'
import { AppError } from '../lib/app-error.ts'
import type { Db } from '../store/database.ts'
import { readSession } from './session-cookie.ts'
import type { SessionTokens } from './session-token.ts'

const TWO_SESSIONS = 'The request has two session cookies, so neither is accepted. Reload the page, or log in again.'

/** Finds the person behind a request from its headers, or undefined. */
export function createAuthenticate(deps: { db: Db; tokens: Pick<SessionTokens, 'read'>; now: () => Date }) {
  const lookUp = createSessionLookup(deps.db)

  async function callerOfSession(sessionId: string, origin: Origin): Promise<Caller | undefined> {
    const user = await lookUp(sessionId)
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
