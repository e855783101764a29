import { SESSION_DAYS } from './session-token.ts'

const NAME = 'berth_session'

export function sessionCookie(token: string, isTls: boolean): string {
  return `${NAME}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${SESSION_DAYS * 24 * 3600}${isTls ? '; Secure' : ''}`
}

export function clearedSessionCookie(isTls: boolean): string {
  return `${NAME}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0${isTls ? '; Secure' : ''}`
}

/** The token of a request: a bearer header wins over the cookie. */
export function tokenOf(headers: { authorization?: string | undefined; cookie?: string | undefined }): string | undefined {
  const { authorization, cookie } = headers
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (cookie === undefined) return undefined
  const start = cookie.startsWith(`${NAME}=`) ? 0 : cookie.indexOf(`; ${NAME}=`) + 2
  if (start === 1) return undefined
  const end = cookie.indexOf(';', start)
  return cookie.slice(start + NAME.length + 1, end === -1 ? undefined : end).trim() || undefined
}
