import { COOKIE_NAMES, type CookieRequest, cookiesOf, readSession } from './authenticate.ts'
import { clearedCookie } from './session-cookie.ts'

const MOST_LINES = 30
const MOST_PARTS = 6 // as deep as our own paths

/** Every possible cookie domain of a request to this host. */
function domainsOf(host: string): string[] {
  const name = /^[a-z0-9.-]{1,100}(?=:\d+$|$)/i.exec(host)?.[0] ?? ''
  const labels = name.split('.')
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return [] // an IP address has no sibling hosts
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join('.'))
}

/** Every possible cookie path of a request to this URL. */
function pathsOf(url: string): string[] {
  const parts =
    /^(?:\/[\w-]+)*/
      .exec(url)?.[0]
      .split('/')
      .slice(1, 1 + MOST_PARTS) ?? []
  const down = parts.map((_part, index) => `/${parts.slice(0, index + 1).join('/')}`)
  return ['/', ...down.flatMap((path) => [path, `${path}/`])]
}

/**
 * Handles two session cookies: removes those that another host may have set with our name, for every possible domain and path, so that
 * nobody stays locked out. Our own has no domain and the path "/"; no other host can set that one, so it is kept.
 */
export function strayCookies(request: CookieRequest): string[] {
  if (!readSession(request).isDoubled) return []
  const domains = ['', ...domainsOf(request.headers.host ?? '').map((domain) => `; Domain=${domain}`)]
  const places = domains.flatMap((domain) => pathsOf(request.url).map((path) => `Path=${path}${domain}`))
  const plain = places.filter((place) => place !== 'Path=/').map((place) => `${COOKIE_NAMES.plain}=; ${place}; Max-Age=0`)
  const isHostInDoubt = cookiesOf(request).host.length > 0
  return [...(isHostInDoubt ? [clearedCookie('host', request.isTls)] : []), ...plain].slice(0, MOST_LINES)
}
