import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { GitProvider } from '@berth/contract'

/** A delivery as it arrived. */
export type RawDelivery = { readonly headers: IncomingHttpHeaders; readonly body: Buffer }

const EVENT_HEADERS: Record<GitProvider, readonly string[]> = {
  github: ['x-github-event'],
  gitlab: ['x-gitlab-event'],
  gitea: ['x-gitea-event'],
  forgejo: ['x-forgejo-event', 'x-gitea-event'],
}
const ID_HEADERS: Record<GitProvider, readonly string[]> = {
  github: ['x-github-delivery'],
  gitlab: ['idempotency-key', 'x-gitlab-event-uuid'],
  gitea: ['x-gitea-delivery'],
  forgejo: ['x-forgejo-delivery', 'x-gitea-delivery'],
}
const PUSH_EVENTS: Record<GitProvider, string> = { github: 'push', gitlab: 'Push Hook', gitea: 'push', forgejo: 'push' }
const LONGEST = 200

function firstOf(headers: IncomingHttpHeaders, names: readonly string[]): string {
  const found = names.map((name) => headers[name]).find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? found.replaceAll(/\p{Cc}/gu, ' ').slice(0, LONGEST) : ''
}

export function eventOf(provider: GitProvider, { headers }: RawDelivery): string {
  return firstOf(headers, EVENT_HEADERS[provider])
}

export function isPush(provider: GitProvider, event: string): boolean {
  return event === PUSH_EVENTS[provider]
}

/** The host's own id of the delivery. One that has none is known by its bytes: the same again is the same delivery. */
export function deliveryIdOf(provider: GitProvider, delivery: RawDelivery): string {
  const own = firstOf(delivery.headers, ID_HEADERS[provider])
  return own === '' ? `sha256:${createHash('sha256').update(delivery.body).digest('hex')}` : own
}

/**
 * Of what was signed, with what it was said to be: the id of a delivery is not signed, so whoever has seen one could send it again under
 * another. GitLab signs nothing, and two of its pushes can be alike in every byte.
 */
export function fingerprintOf(provider: GitProvider, event: string, { body }: RawDelivery): string {
  return provider === 'gitlab' ? '' : createHash('sha256').update(`${event}\n`).update(body).digest('hex')
}

/** The installation of an app that a delivery is about. */
export function installationIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('installation' in body)) return undefined
  const { installation } = body
  if (typeof installation !== 'object' || installation === null || !('id' in installation)) return undefined
  return typeof installation.id === 'number' && Number.isSafeInteger(installation.id) ? String(installation.id) : undefined
}

/** Undefined where the body is neither JSON nor a form that holds some. */
export function jsonOf({ headers, body }: RawDelivery): unknown {
  const text = body.toString('utf8')
  const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text)
  } catch {
    return undefined
  }
}

/** What people may see of the head. Named one by one, so that no secret is among them. */
const SHOWN =
  /^(content-type|user-agent|idempotency-key|x-(github|gitlab|gitea|forgejo|gogs)-(event|event-type|event-uuid|delivery|hook-id|webhook-uuid|instance))$/

export function shownHeaders({ headers }: RawDelivery): Record<string, string> {
  const shown = Object.entries(headers).filter(([name, value]) => SHOWN.test(name) && typeof value === 'string')
  return Object.fromEntries(shown.map(([name, value]) => [name, String(value).slice(0, LONGEST)]))
}
