/** Where a repository is. `href` is what git is given: rebuilt from the parsed parts, never the text that came in. */
export type CloneUrl =
  | { readonly kind: 'http' | 'https' | 'ssh'; readonly host: string; readonly port: number; readonly href: string }
  | { readonly kind: 'file'; readonly path: string; readonly href: string }

const MAX_CHARS = 2048
const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`)
const IPV6 = /^\[[0-9a-fA-F:.]+\]$/
const USER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/
// Letters of any script are not needed in a path: they arrive percent-encoded.
const PATH = /^\/[A-Za-z0-9._~%+@:,=/-]*$/
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
  if (url === null || !isHost(url.hostname) || !isPath(url.pathname) || url.search !== '' || url.hash !== '') return null
  // A password in the address would end up in logs and in the process list; credentials have a place of their own.
  if (url.password !== '' || (url.username !== '' && (kind !== 'ssh' || !USER.test(url.username)))) return null
  const port = url.port === '' ? DEFAULT_PORT[kind] : Number(url.port)
  const user = url.username === '' ? '' : `${url.username}@`
  const shownPort = url.port === '' ? '' : `:${url.port}`
  return port === 0 ? null : { kind, host: bare(url.hostname), port, href: `${kind}://${user}${url.hostname}${shownPort}${url.pathname}` }
}

function scpForm(text: string): CloneUrl | null {
  const parts = SCP.exec(text)?.groups
  const { user = '', host = '', path = '' } = parts ?? {}
  const rooted = path.startsWith('/') ? path : `/${path}`
  if (!isHost(host) || !USER.test(user) || !isPath(rooted) || path.startsWith('-')) return null
  return { kind: 'ssh', host: bare(host), port: DEFAULT_PORT.ssh, href: `ssh://${user}@${host}${rooted}` }
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

function isHost(host: string): boolean {
  return (HOST.test(host) || IPV6.test(host)) && host.length <= 253
}

function isPath(path: string): boolean {
  return (
    PATH.test(path) &&
    path !== '/' &&
    !path.startsWith('//') &&
    !path.startsWith('/-') &&
    !/(^|\/)\.\.(\/|$)/.test(path) &&
    !/%(?:2e|2f|5c|0[0-9a-f]|1[0-9a-f])/i.test(path)
  )
}

function bare(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}
