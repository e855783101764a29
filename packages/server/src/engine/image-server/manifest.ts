import { createHash } from 'node:crypto'
import { hasTooManyParts } from '../../lib/json-parts.ts'
import { count, field, items, text } from '../api/json.ts'

/** How the bytes of a layer are packed. */
export type Packing = 'tar' | 'gzip' | 'zstd'
export type StoredFile = { readonly digest: string; readonly size: number; readonly packing: Packing }
export type Descriptor = { readonly digest: string; readonly size: number }

const DIGEST = /^sha256:[0-9a-f]{64}$/
export const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json'
const CONFIG_TYPE = 'application/vnd.docker.container.image.v1+json'
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar'
const LAYER_TYPE = { tar: LAYER, gzip: `${LAYER}.gzip`, zstd: `${LAYER}.zstd` } as const satisfies Record<Packing, string>

export function isDigest(word: string): boolean {
  return DIGEST.test(word)
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** What an engine pulls by its digest. The same image always gives the same bytes. */
export function manifestOf(config: Descriptor, layers: readonly StoredFile[]): Buffer {
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: { mediaType: CONFIG_TYPE, size: config.size, digest: config.digest },
      layers: layers.map(({ digest, size, packing }) => ({ mediaType: LAYER_TYPE[packing], size, digest })),
    }),
  )
}

/** Everything that a manifest of ours names, the configuration first. */
export function blobsOf(manifest: Buffer): Descriptor[] {
  const value: unknown = JSON.parse(manifest.toString())
  return [field(value, 'config'), ...items(field(value, 'layers'))].map((each) => ({
    digest: text(field(each, 'digest')),
    size: count(field(each, 'size')),
  }))
}

/** Why these are not the layers of the image, or undefined. What is not packed has the digest that the configuration names. */
export function whyNotLayers(config: Buffer, layers: readonly StoredFile[]): string | undefined {
  if (hasTooManyParts(config)) return 'its configuration has too many parts'
  const wanted = items(field(JSON.parse(config.toString()), 'rootfs', 'diff_ids')).map(text)
  if (wanted.length !== layers.length) return `it has ${layers.length} layers instead of ${wanted.length}`
  const other = layers.findIndex(({ packing, digest }, index) => packing === 'tar' && digest !== wanted[index])
  return other === -1 ? undefined : `layer ${other + 1} is not the one that its configuration names`
}
