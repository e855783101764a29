import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { GitProvider } from '@berth/contract'
import { parseForeignJson, TooManyParts } from '../../lib/foreign-json.ts'

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

/** The host's own id of the delivery. Without one, the hash of its bytes, so that the same bytes are the same delivery. */
export function deliveryIdOf(provider: GitProvider, delivery: RawDelivery): string {
  const own = firstOf(delivery.headers, ID_HEADERS[provider])
  return own === '' ? `sha256:${createHash('sha256').update(delivery.body).digest('hex')}` : own
}

/**
 * A hash of the signed body and its event. The delivery id is not signed, so anybody who has seen a delivery could send it again with
 * another id. GitLab signs nothing, and two of its pushes can have identical bytes.
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

/** The parsed body, or why it was not parsed. */
export type Parsed = { body: unknown; problem: string }

const MOST = { formFields: 100, formBytes: 8 * 1024 ** 2 }
const UNREADABLE = 'The body is neither JSON nor a form with a field "payload" that holds JSON.'
const TOO_MANY_FIELDS = 'The body was not read, because it has too many parts: at most 100 form fields.'
const TOO_LARGE_FORM = 'A form is read up to 8 MiB. Choose JSON as the content type of the webhook.'

export function jsonOf({ headers, body }: RawDelivery): Parsed {
  const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  if (isForm && body.length > MOST.formBytes) return { body: undefined, problem: TOO_LARGE_FORM }
  if (isForm && hasMoreFields(MOST.formFields, body)) return { body: undefined, problem: TOO_MANY_FIELDS }
  const json = isForm ? formField(body, 'payload') : body
  try {
    return { body: parseForeignJson(json), problem: '' }
  } catch (cause) {
    return { body: undefined, problem: cause instanceof TooManyParts ? `The body was not read. ${cause.message}` : UNREADABLE }
  }
}

const [PLUS, SPACE, PERCENT, NOT_HEX] = [0x2b, 0x20, 0x25, -1000]

/**
 * The first field of a form with this name, or nothing. `URLSearchParams` puts its texts together from pieces, one for each `+`, and so a
 * large body could take all of the memory.
 */
function formField(body: Buffer, name: string): Buffer {
  const start = `${name}=`
  let from = 0
  while (from < body.length) {
    const end = body.indexOf('&', from)
    const field = body.subarray(from, end === -1 ? body.length : end)
    if (field.subarray(0, start.length).toString('latin1') === start) return decoded(field.subarray(start.length))
    from = end === -1 ? body.length : end + 1
  }
  return Buffer.alloc(0)
}

function decoded(field: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(field.length)
  let length = 0
  for (let at = 0; at < field.length; at += 1) {
    const byte = field[at] ?? 0
    const code = byte === PERCENT ? hexDigit(field[at + 1]) * 16 + hexDigit(field[at + 2]) : NOT_HEX
    if (code >= 0) at += 2
    bytes[length] = code >= 0 ? code : byte === PLUS ? SPACE : byte
    length += 1
  }
  return bytes.subarray(0, length)
}

/** So far below zero that the number which it is part of is too. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : NOT_HEX
}

function hasMoreFields(most: number, bytes: Buffer): boolean {
  let count = 1
  for (let at = bytes.indexOf('&'); at !== -1 && count <= most; at = bytes.indexOf('&', at + 1)) count += 1
  return count > most
}

/** The headers that are shown to people. An explicit list, so that no secret is included. */
const SHOWN =
  /^(content-type|user-agent|idempotency-key|x-(github|gitlab|gitea|forgejo|gogs)-(event|event-type|event-uuid|delivery|hook-id|webhook-uuid|instance))$/

export function shownHeaders({ headers }: RawDelivery): Record<string, string> {
  const shown = Object.entries(headers).filter(([name, value]) => SHOWN.test(name) && typeof value === 'string')
  return Object.fromEntries(shown.map(([name, value]) => [name, String(value).slice(0, LONGEST)]))
}
