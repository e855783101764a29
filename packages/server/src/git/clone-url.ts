import { isIPv6 } from 'node:net'

/**
 * A parsed clone URL. `href` is what git gets: rebuilt from the parsed parts, never the original text. Its host is exactly `host`, which
 * is checked and pinned: `host.` and `HOST` are different names to curl, and would be resolved again.
 */
export type CloneUrl =
  | { readonly kind: 'http' | 'https' | 'ssh'; readonly host: string; readonly port: number; readonly href: string }
  | { readonly kind: 'file'; readonly path: string; readonly href: string }

const MAX_CHARS = 2048
const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)
const USER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/
// Non-ASCII letters are not needed in a path: they are percent-encoded.
const PATH = /^\/[A-Za-z0-9._~%+@:,=/-]*$/
// Git decodes an ssh URL before it looks for the host: `/x%40%5Bhost%5D/r` would become another host.
const ESCAPED_HOST = /%(?:3a|40|5b|5d)/i
const SCP = /^(?<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})@(?<host>[^:/@]+):(?<path>[^:].*)$/
const DEFAULT_PORT = { http: 80, https: 443, ssh: 22 } as const

/** Null for everything that is not one of the four forms: https, http, ssh (also as git@host:path) and file. */
export function parseCloneUrl(text: string): CloneUrl | null {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (text.length > MAX_CHARS || /[\u0000-\u0020\u007f-\u009f\\]/.test(text) || text.startsWith('-')) return null
  const scheme = /^([a-z]+):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return scpForm(text)
  if (scheme === 'file') return fileUrl(text)
  return scheme === 'http' || scheme === 'https' || scheme === 'ssh' ? networkUrl(text, scheme) : null
}

function networkUrl(text: string, kind: 'http' | 'https' | 'ssh'): CloneUrl | null {
  const url = parsed(text)
  const host = url === null ? null : canonicalHost(url.hostname)
  if (url === null || host === null || !isPath(url.pathname) || url.search !== '' || url.hash !== '') return null
  // A password in the URL would end up in logs and in the process list; credentials are stored separately.
  if (url.password !== '' || (url.username !== '' && (kind !== 'ssh' || !USER.test(url.username)))) return null
  if (kind === 'ssh' && ESCAPED_HOST.test(url.pathname)) return null
  const port = url.port === '' ? DEFAULT_PORT[kind] : Number(url.port)
  const user = url.username === '' ? '' : `${url.username}@`
  const shownPort = url.port === '' ? '' : `:${url.port}`
  return port === 0 ? null : { kind, host, port, href: `${kind}://${user}${inUrl(host)}${shownPort}${url.pathname}` }
}

function scpForm(text: string): CloneUrl | null {
  const parts = SCP.exec(text)?.groups
  const { user = '', path = '' } = parts ?? {}
  const host = canonicalHost(parts?.['host'] ?? '')
  const rooted = path.startsWith('/') ? path : `/${path}`
  if (host === null || !USER.test(user) || !isPath(rooted) || ESCAPED_HOST.test(path) || path.startsWith('-')) return null
  return { kind: 'ssh', host, port: DEFAULT_PORT.ssh, href: `ssh://${user}@${inUrl(host)}${rooted}` }
}

function fileUrl(text: string): CloneUrl | null {
  const url = parsed(text)
  if (url === null || url.host !== '' || url.search !== '' || url.hash !== '' || !isPath(url.pathname) || url.pathname.includes('%'))
    return null
  return { kind: 'file', path: url.pathname, href: `file://${url.pathname}` }
}

function parsed(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

/** The canonical form of a host: lower case, no trailing dot, no brackets. Null if it is neither a name nor an address. */
function canonicalHost(text: string): string | null {
  const host = text
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  const isOne = text.startsWith('[') ? isIPv6(host) : HOST.test(host)
  return isOne && host.length <= 253 ? host : null
}

function inUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}

function isPath(path: string): boolean {
  return (
    PATH.test(path) &&
    path !== '/' &&
    !path.startsWith('//') &&
    !path.startsWith('/-') &&
    !/(^|\/)\.\.(\/|$)/.test(path) &&
    !/%(?:2e|2f|5c|7f|0[0-9a-f]|1[0-9a-f])/i.test(path)
  )
}
