import type { IncomingMessage } from 'node:http'
import { SourceError } from './errors.ts'
import type { Source } from './git-visit.ts'
import type { PinnedRequest } from './pinned-request.ts'

/** The Git LFS server that belongs to a repository. */
export type Place = { readonly api: URL; readonly source: Source; readonly authorization: Readonly<Record<string, string>> }
type Given = { readonly href: string; readonly header?: Readonly<Record<string, string>> }

const HEADER = /^[A-Za-z0-9-]{1,100}$/
const VALUE = /^[\t -~]{0,8192}$/
const OF_THE_CONNECTION = /^(?:host|connection|content-length|transfer-encoding|upgrade|expect|trailer|te|keep-alive|proxy-.*)$/i
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MOST_REDIRECTS = 3

/** Follows redirects: each address is checked like the first one, and what is meant for one host is sent to no other. */
export async function openFile(request: PinnedRequest, place: Place, { given, signal }: { given: Given; signal: AbortSignal }) {
  let url = new URL(given.href)
  // The rights and the credential of the clone URL are for its own host.
  const isOwn = url.origin === place.api.origin
  let privileged = isOwn && place.source.privileged
  let headers: Record<string, string> = { ...(isOwn && place.authorization), ...usableHeaders(given.header ?? {}) }
  for (let left = MOST_REDIRECTS; ; left -= 1) {
    const answer = await request({ url, headers, privileged, signal })
    if (answer.statusCode === 200) return { answer, url }
    const target = left > 0 ? targetOf(answer, url) : null
    if (target === null) throw refusal(answer, url)
    answer.destroy()
    if (target.origin !== url.origin) {
      privileged = false
      headers = {}
    }
    url = target
  }
}

function targetOf({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): URL | null {
  return REDIRECTS.has(statusCode) && location !== undefined ? URL.parse(location, url.href) : null
}

/** Those that the server asks to be sent along, but for what belongs to the connection. */
function usableHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => HEADER.test(name) && !OF_THE_CONNECTION.test(name) && VALUE.test(value)),
  )
}

export function refusal(answer: IncomingMessage, url: URL): SourceError {
  answer.destroy()
  const status = answer.statusCode ?? 0
  if (status === 401 || status === 403)
    return new SourceError(`${url.hostname} does not let Berth read the Git LFS files. Use an https clone URL with a git account that can.`)
  return new SourceError(`${url.hostname} answers ${status} for the Git LFS files of the repository.`, { isTransient: status >= 500 })
}
