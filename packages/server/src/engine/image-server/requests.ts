import { createHash, timingSafeEqual } from 'node:crypto'
import { isImageName } from './image-store.ts'
import { isDigest } from './manifest.ts'

export type Asked = { readonly is: 'ping' } | { readonly is: 'manifest' | 'blob'; readonly name: string; readonly digest: string }

const PATH = /^\/v2\/([a-z0-9-]{1,200})\/(manifests|blobs)\/(sha256:[0-9a-f]{64})$/
const RANGE = /^bytes=(\d{1,15})-(\d{0,15})$/

/** What an engine asks for when it pulls by digest. Nothing else is answered: no tags, no lists, no pushes. */
export function askedFor(url: string): Asked | undefined {
  const [path = ''] = url.split('?')
  if (path === '/v2/' || path === '/v2') return { is: 'ping' }
  const [, name = '', kind = '', digest = ''] = PATH.exec(path) ?? []
  if (!isImageName(name) || !isDigest(digest)) return undefined
  return { is: kind === 'manifests' ? 'manifest' : 'blob', name, digest }
}

/** The part of a blob that is wanted, both ends included; an engine goes on where a download was cut. `none`: it has no such part. */
export function wantedPart(range: string | undefined, size: number): { start: number; end: number } | 'all' | 'none' {
  const [, from = '', to = ''] = RANGE.exec(range ?? '') ?? []
  if (from === '') return 'all'
  const [start, end] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)]
  return start < size && start <= end ? { start, end } : 'none'
}

export function isAuthorized(header: string | undefined, { username, password }: { username: string; password: string }): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return timingSafeEqual(hash(header ?? ''), hash(wanted))
}
