import { isNotFound } from './api/errors.ts'
import { count, field, filters, items, labelFilter, record, text, texts } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import type { Downloads } from './downloads/downloads.ts'
import { type Owner, ownerOf } from './labels.ts'
import { createPull } from './pull.ts'

export type Image = {
  readonly id: string
  readonly tags: readonly string[]
  readonly owner: Owner
  readonly sizeBytes: number
  readonly createdAt: string
}
export type ImageDetails = Image & {
  /** The paths of its volumes (`VOLUME`). */
  readonly volumePaths: readonly string[]
  /** Such as `linux/arm64`, with the variant if it has one. */
  readonly platform: string
  /** The triggers it adds to every build based on it (`ONBUILD`). */
  readonly triggers: readonly string[]
  /** The size of its labels, variables, command and other settings. */
  readonly settingsBytes: number
  /** The interval of its own health check, if set; the engine's default is 30 s. */
  readonly shortestCheckMs: number | null
}

/** The engine repeats an image's labels for each of its containers in every list. */
export const MOST_SETTINGS_BYTES = 64 * 1024
/** Far above what an image with that many settings has; a registry can name one whose configuration fills the memory. */
const MOST = {
  bytes: 2 * 1024 * 1024,
  refusal: 'The container engine says more than 2 MiB about this image. Use one with fewer labels, variables and layers.',
}
/** The engine creates each of them for every container, one after the other. */
export const MOST_VOLUMES = 50

export function createImages(deps: { transport: Transport; downloads: Downloads }) {
  const { transport } = deps

  async function inspect(reference: string, signal?: AbortSignal): Promise<ImageDetails | null> {
    try {
      return detailsOf(await transport.json({ method: 'GET', path: `/images/${named(reference)}/json`, signal, most: MOST }))
    } catch (cause) {
      if (isNotFound(cause)) return null
      throw cause
    }
  }

  async function exists(reference: string, signal?: AbortSignal): Promise<boolean> {
    return (await inspect(reference, signal)) !== null
  }

  /** Removes the name, and the layers if it was the last name. An image that no longer exists is fine. */
  async function remove(reference: string, signal?: AbortSignal): Promise<void> {
    try {
      await transport.json({ method: 'DELETE', path: `/images/${named(reference)}`, query: { force: true }, signal })
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
    }
  }

  /** Removes the name unless a container, running or not, uses the image. */
  async function removeUnused(reference: string, signal?: AbortSignal): Promise<void> {
    await transport.json({ method: 'DELETE', path: `/images/${named(reference)}`, query: { force: false }, signal })
  }

  /** Gives an image a name. */
  async function tag(id: string, name: string, signal?: AbortSignal): Promise<void> {
    const colon = name.lastIndexOf(':')
    const query = { repo: name.slice(0, colon), tag: name.slice(colon + 1) }
    await transport.json({ method: 'POST', path: `/images/${named(id)}/tag`, query, signal })
  }

  async function list(wanted: { labels: Readonly<Record<string, string>>; signal?: AbortSignal }): Promise<Image[]> {
    const query = { filters: filters({ label: labelFilter(wanted.labels) }) }
    return await transport.list({ method: 'GET', path: '/images/json', query, signal: wanted.signal }, imageOf)
  }

  /** Every name that matches a pattern such as `berth/*:release`. */
  async function names(pattern: string, signal?: AbortSignal): Promise<string[]> {
    const query = { filters: filters({ reference: [pattern] }) }
    const tagsOf = (image: unknown) => items(field(image, 'RepoTags')).map(text)
    return (await transport.list({ method: 'GET', path: '/images/json', query, signal }, tagsOf)).flat()
  }

  return { inspect, exists, tag, remove, removeUnused, list, names, pull: createPull(deps) }
}

export type Images = ReturnType<typeof createImages>

function named(reference: string): string {
  return reference.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':').replaceAll('%40', '@')
}

function imageOf(value: unknown): Image {
  return {
    id: text(field(value, 'Id')),
    tags: items(field(value, 'RepoTags')).map(text),
    owner: ownerOf(texts(field(value, 'Labels'))),
    sizeBytes: count(field(value, 'Size')),
    createdAt: new Date(count(field(value, 'Created')) * 1000).toISOString(),
  }
}

function detailsOf(value: unknown): ImageDetails {
  const checks = ['Interval', 'StartInterval'].map((key) => count(field(value, 'Config', 'Healthcheck', key))).filter((ns) => ns > 0)
  return {
    id: text(field(value, 'Id')),
    tags: items(field(value, 'RepoTags')).map(text),
    owner: ownerOf(texts(field(value, 'Config', 'Labels'))),
    sizeBytes: count(field(value, 'Size')),
    createdAt: text(field(value, 'Created')),
    platform: ['Os', 'Architecture', 'Variant'].flatMap((key) => text(field(value, key)) || []).join('/'),
    triggers: items(field(value, 'Config', 'OnBuild')).map(text),
    volumePaths: Object.keys(record(field(value, 'Config', 'Volumes'))),
    shortestCheckMs: checks.length === 0 ? null : Math.min(...checks) / 1e6,
    settingsBytes: Buffer.byteLength(JSON.stringify(record(field(value, 'Config')))),
  }
}
