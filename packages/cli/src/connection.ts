import { type Call, createClient } from '@berth/contract'
import { CannotDo } from './command.ts'
import type { Settings } from './settings.ts'

/** Over TLS the name has a prefix that keeps other hosts from setting it. */
const COOKIE = /^(?:__Host-)?berth_session=([^;]+)/

/** Calls to the server, authenticated with a bearer token. */
export function createConnection(deps: { settings: Pick<Settings, 'url' | 'token'>; signal: AbortSignal }) {
  const { settings, signal } = deps
  const stoppable: typeof fetch = async (address, init) => await fetch(address, { ...init, signal })
  const headers = (): Record<string, string> => (settings.token === undefined ? {} : { authorization: `Bearer ${settings.token}` })
  const call = createClient({ baseUrl: settings.url ?? '', headers, fetch: stoppable })

  const api: Call = async (name, ...input) => {
    if (settings.url === undefined)
      throw new CannotDo('not_signed_in', 'You are not logged in.', 'Try: berth login https://berth.example.com')
    return await call(name, ...input)
  }

  /** The server sends the token as a cookie, for browsers; this takes it from there. */
  async function signIn(url: string, credentials: { email: string; password: string; token?: string }) {
    let token: string | undefined
    const watching: typeof fetch = async (address, init) => {
      const response = await stoppable(address, init)
      for (const cookie of response.headers.getSetCookie()) token = COOKIE.exec(cookie)?.[1] ?? token
      return response
    }
    const call = createClient({ baseUrl: url, fetch: watching })
    const { email, password, token: setup } = credentials
    const { user } = await (setup === undefined
      ? call('auth.login', { email, password })
      : call('auth.setup', { email, password, token: setup }))
    if (token === undefined)
      throw new CannotDo('no_session', 'The server did not start a session.', 'Is this the address of a Berth server?')
    return { email: user.email, token }
  }

  return { api, headers, signIn }
}
