import { type Call, createClient } from '@berth/contract'
import { CannotDo } from './command.ts'
import type { Settings } from './settings.ts'

/** Over TLS the name has the prefix that keeps other hosts from setting it. */
const COOKIE = /^(?:__Host-)?berth_session=([^;]+)/

/** The calls to the server: who we are goes along as a bearer token. */
export function createConnection(deps: { settings: Pick<Settings, 'url' | 'token'>; signal: AbortSignal }) {
  const { settings, signal } = deps
  const stoppable: typeof fetch = async (address, init) => await fetch(address, { ...init, signal })
  const headers = (): Record<string, string> => (settings.token === undefined ? {} : { authorization: `Bearer ${settings.token}` })
  const call = createClient({ baseUrl: settings.url ?? '', headers, fetch: stoppable })

  const api: Call = async (name, ...input) => {
    if (settings.url === undefined)
      throw new CannotDo('not_signed_in', 'No server is known yet.', 'Try: berth login https://berth.example.com')
    return await call(name, ...input)
  }

  /** The server keeps the token in a cookie, where a browser wants it; here it is taken out of there. */
  async function signIn(url: string, credentials: { email: string; password: string }) {
    let token: string | undefined
    const watching: typeof fetch = async (address, init) => {
      const response = await stoppable(address, init)
      for (const cookie of response.headers.getSetCookie()) token = COOKIE.exec(cookie)?.[1] ?? token
      return response
    }
    const { user } = await createClient({ baseUrl: url, fetch: watching })('auth.login', credentials)
    if (token === undefined) throw new CannotDo('no_session', 'The server began no session.', 'Is this the address of a Berth server?')
    return { email: user.email, token }
  }

  return { api, headers, signIn }
}
