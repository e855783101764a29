import { type CloneUrl, parseCloneUrl } from './clone-url.ts'
import type { Source } from './git-visit.ts'

type NetworkUrl = Exclude<CloneUrl, { kind: 'file' }>

/**
 * The source that a repository names by itself, such as that of a submodule. Its author is not the person who set the clone URL, so that
 * person's rights and credentials only apply at the very host of the clone URL. Null for addresses that are not allowed at all.
 */
export function relatedSource(parent: Source, text: string): Source | null {
  const from = parseCloneUrl(parent.url)
  if (from === null || from.kind === 'file') return null // a path of this machine is for an admin to name, not for a repository
  const named = /^\.{1,2}\//.test(text) ? beside(from, text) : parseCloneUrl(text)
  if (named === null || named.kind === 'file') return null
  const url = overSameProtocol(from, named)
  if (isSamePlace(from, url)) return { ...parent, url: url.href }
  return { url: url.href, privileged: false, ...(parent.signal && { signal: parent.signal }) }
}

function isSamePlace(one: Pick<NetworkUrl, 'kind' | 'host' | 'port'>, other: Pick<NetworkUrl, 'kind' | 'host' | 'port'>): boolean {
  return one.kind === other.kind && one.host === other.host && one.port === other.port
}

/** `../theme.git` is relative to the repository itself. */
function beside({ href }: NetworkUrl, text: string): CloneUrl | null {
  const url = new URL(href)
  const parts = url.pathname.split('/').filter((part) => part !== '')
  for (const step of text.split('/')) {
    if (step === '..' && parts.pop() === undefined) return null
    if (step !== '..' && step !== '.' && step !== '') parts.push(step)
  }
  url.pathname = `/${parts.join('/')}`
  return parseCloneUrl(url.href)
}

/** `git@host:a/b` in a repository that is itself cloned over https from that host. */
function overSameProtocol(from: NetworkUrl, named: NetworkUrl): NetworkUrl {
  if (from.kind !== 'https' || named.kind !== 'ssh' || named.host !== from.host) return named
  const url = new URL(from.href)
  url.pathname = new URL(named.href).pathname
  const converted = parseCloneUrl(url.href)
  return converted === null || converted.kind === 'file' ? named : converted
}
