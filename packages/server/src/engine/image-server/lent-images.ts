import { randomBytes } from 'node:crypto'
import { type Descriptor, digestOf, manifestOf, type StoredFile } from './manifest.ts'

type Lent = { readonly manifest: Buffer; readonly blobs: ReadonlyMap<string, Buffer> }

/** An archive with nothing in it. */
const EMPTY_LAYER = Buffer.alloc(1024)

/**
 * Images of no use, to find out whether a server can pull. Each is another one, because an engine does not ask for what it has. They are in
 * memory, and only until they are given back.
 */
export function createLentImages() {
  const all = new Map<string, Lent>()

  function lend({ os, architecture }: { os: string; architecture: string }): { name: string; digest: string; end: () => void } {
    const name = `check-${randomBytes(16).toString('hex')}`
    const config = Buffer.from(
      JSON.stringify({
        os,
        architecture,
        config: { Labels: { check: name } },
        rootfs: { type: 'layers', diff_ids: [digestOf(EMPTY_LAYER)] },
      }),
    )
    const described = (bytes: Buffer): Descriptor => ({ digest: digestOf(bytes), size: bytes.length })
    const layer: StoredFile = { ...described(EMPTY_LAYER), packing: 'tar' }
    const manifest = manifestOf(described(config), [layer])
    const blobs = new Map([config, EMPTY_LAYER].map((bytes) => [digestOf(bytes), bytes]))
    all.set(name, { manifest, blobs })
    return { name, digest: digestOf(manifest), end: () => void all.delete(name) }
  }

  return {
    lend,
    manifest: (name: string, digest: string): Buffer | undefined => {
      const bytes = all.get(name)?.manifest
      return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined
    },
    blob: (name: string, digest: string): { bytes: Buffer; size: number } | undefined => {
      const bytes = all.get(name)?.blobs.get(digest)
      return bytes && { bytes, size: bytes.length }
    },
  }
}
