import { type Call, createClient } from '@berth/contract'
import { CannotDo } from './command.ts'
import type { Settings } from './settings.ts'

/** Over TLS the name has a prefix, so that other hosts cannot set this cookie. */
const COOKIE = /^(?:__Host-)?berth_session=([^;]+)/

/** Calls to the server, authenticated with a bearer token. */
export function createConnection(deps: { settings: Pick<Settings, 'url' | 'token'>; signal: AbortSignal }) {
  const { settings, signal } = deps
  const abortableFetch: typeof fetch = async (address, init) => await fetch(address, { ...init, signal })
  const headers = (): Record<string, string> => (settings.token === undefined ? {} : { authorization: `Bearer ${settings.token}` })
  const call = createClient({ baseUrl: settings.url ?? '', headers, fetch: abortableFetch })

  const api: Call = async (name, ...input) => {
    if (settings.url === undefined)
      throw new CannotDo('not_signed_in', 'You are not logged in.', 'Try: berth login https://berth.example.com')
    return await call(name, ...input)
  }

  /** Logs in, or creates the first account. The server sends the token of the session only as a cookie. */
  async function signIn(url: string, credentials: { email: string; password: string; setupToken?: string }) {
    let token: string | undefined
    const fetchToken: typeof fetch = async (address, init) => {
      const response = await abortableFetch(address, init)
      for (const cookie of response.headers.getSetCookie()) token = COOKIE.exec(cookie)?.[1] ?? token
      return response
    }
    const callOnce = createClient({ baseUrl: url, fetch: fetchToken })
    const { email, password, setupToken } = credentials
    const { user } = await (setupToken === undefined
      ? callOnce('auth.login', { email, password })
      : callOnce('auth.setup', { email, password, token: setupToken }))
    if (token === undefined)
      throw new CannotDo('no_session', 'The server did not start a session.', 'Is this the address of a Berth server?')
    return { email: user.email, token }
  }

  return { api, headers, signIn }
}
