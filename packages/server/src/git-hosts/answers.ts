import type { IncomingHttpHeaders } from 'node:http'
import { REPOSITORY_NAME } from '@berth/contract'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { HostError } from './errors.ts'
import type { Ask, AskHost } from './host-client.ts'

/** Responses of hosts are untrusted: the fields that we use are validated here, once. The validator is compiled at its first use. */
export function answerOf<Schema extends TSchema>(schema: Schema) {
  let validator: { Check(value: unknown): boolean } | undefined
  return (value: unknown): Static<Schema> => {
    validator ??= Compile(schema)
    if (!validator.Check(value))
      throw new HostError('unavailable', 'The host responds, but not like a git host of this kind. Check the address and the provider.')
    return value as Static<Schema> // it has just been checked
  }
}

const NAME = new RegExp(`^${REPOSITORY_NAME}$`)
const LONGEST_NAME = 500

/** Texts from hosts are stored and shown, so they are cut to a reasonable length. */
export const HostName = Type.String({ maxLength: 255 })
export const HostText = Type.String({ maxLength: 1000 })
export const OptionalText = Type.Optional(Type.Union([HostText, Type.Null()]))
export const FullName = Type.String({ maxLength: LONGEST_NAME, pattern: NAME.source })

const MAX_PAGES = 100
const MOST_ITEMS = 5000

/**
 * All pages of a list. Pages are requested by number, and the headers only tell whether there are more: a URL that a host gives for the
 * next page is never followed. The list is cut at a length that no picker shows, or when a visit may not read another response.
 */
export async function allPages<Item>(
  ask: AskHost,
  first: Ask,
  options: { perPage: number; items: (body: unknown) => Item[] },
): Promise<Item[]> {
  const found: Item[] = []
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { headers, body, isLast } = await ask({ ...first, query: { ...first.query, page } })
    const items = options.items(body)
    if (items.length > options.perPage)
      throw new HostError('unavailable', `The host sent ${items.length} entries per page, but ${options.perPage} were requested.`)
    for (const item of items) found.push(item)
    if (isLast || found.length >= MOST_ITEMS || items.length === 0 || !hasMore(headers, items.length, options.perPage)) return found
  }
  return found
}

function hasMore(headers: IncomingHttpHeaders, count: number, perPage: number): boolean {
  const { link, 'x-next-page': next } = headers
  if (typeof link === 'string') return /;\s*rel="?next"?/.test(link)
  if (typeof next === 'string') return next !== ''
  return count >= perPage
}

const readHook = answerOf(Type.Object({ id: Type.Integer() }))
const readHooks = answerOf(
  Type.Array(
    Type.Object({
      id: Type.Integer(),
      url: OptionalText,
      config: Type.Optional(Type.Object({ url: OptionalText })),
    }),
  ),
)

/**
 * Adds a webhook. One with the same URL is left from an attempt that did not finish: GitHub refuses a second one, and other hosts would
 * deliver twice. It is removed first, because its secret is no longer known.
 */
export async function addHookAt(
  ask: AskHost,
  path: string,
  hook: { url: string; perPage: Record<string, number>; body: unknown },
): Promise<string> {
  const [perPage = 1] = Object.values(hook.perPage)
  const there = await allPages(ask, { path, query: hook.perPage }, { perPage, items: readHooks })
  const place = placeOf(hook.url)
  for (const { id, url, config } of there) if (placeOf(config?.url ?? url ?? '') === place) await removeHookAt(ask, `${path}/${id}`)
  return String(readHook((await ask({ method: 'POST', path, body: hook.body })).body).id)
}

/** The URL without its key, which may differ from that of an earlier attempt. */
function placeOf(url: string): string {
  return url.replace(/&key=[^&]*$/, '')
}

export async function removeHookAt(ask: AskHost, path: string): Promise<void> {
  await ask({ method: 'DELETE', path }).catch((cause: unknown) => {
    if (!(cause instanceof HostError) || cause.failure !== 'missing') throw cause
  })
}

/** In one format, whichever time zone the host uses. */
export function timeIn(text: string | null | undefined): string {
  const time = new Date(text ?? 0)
  return (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString()
}

/** `owner/name` as a part of a path. */
export function inPath(fullName: string): string {
  if (!NAME.test(fullName)) throw new HostError('missing', 'Write a repository as owner/repository.')
  return fullName.split('/').map(encodeURIComponent).join('/')
}
