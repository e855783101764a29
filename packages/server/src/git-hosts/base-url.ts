import type { GitProvider } from '@berth/contract'
import { parseCloneUrl } from '../git/clone-url.ts'
import { withoutTrailing } from '../lib/without-trailing.ts'

const DEFAULT_BASE: Record<GitProvider, string> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  gitea: 'https://gitea.com',
  forgejo: 'https://codeberg.org',
}

/** The normalised URL under which people open the host in a browser; null if it is not valid. Tokens are only sent over https. */
export function parseBaseUrl(provider: GitProvider, text: string | undefined): string | null {
  if (text === undefined || text.trim() === '') return DEFAULT_BASE[provider]
  const trimmed = withoutTrailing(text.trim(), '/')
  const url = parseCloneUrl(`${trimmed}/x`) // the same grammar that later decides what may be cloned
  return url?.kind === 'https' ? url.href.replace(/\/x$/, '') : null
}

/** The base URL of the host's API. */
export function apiBase(provider: GitProvider, baseUrl: string): string {
  if (provider === 'gitlab') return `${baseUrl}/api/v4`
  if (provider !== 'github') return `${baseUrl}/api/v1`
  const { host, origin } = new URL(baseUrl)
  const isCloud = host === 'github.com' || host.endsWith('.ghe.com')
  return isCloud ? origin.replace('https://', 'https://api.') : `${baseUrl}/api/v3`
}

/** Built from the URL that the account was connected with: other URLs in the host's responses are not trusted. */
export function cloneUrlOf(baseUrl: string, fullName: string): string {
  return `${baseUrl}/${fullName}.git`
}

export function commitUrlOf(provider: GitProvider, baseUrl: string, fullName: string): string {
  return `${baseUrl}/${fullName}/${provider === 'gitlab' ? '-/commit' : 'commit'}/`
}

/** The repository of a clone URL, if it is on this host. */
export function repositoryIn(baseUrl: string, cloneUrl: string): string | undefined {
  const url = parseCloneUrl(cloneUrl)
  if (url?.kind !== 'https' || !url.href.startsWith(`${baseUrl}/`)) return undefined
  const name = url.href.slice(baseUrl.length + 1).replace(/\/$|\.git\/?$/, '')
  return name.includes('/') ? name : undefined
}
