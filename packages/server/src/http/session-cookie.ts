import { COOKIE_NAMES, type CookieRequest, cookiesOf, type Kind, SESSION_DAYS } from './authenticate.ts'

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
