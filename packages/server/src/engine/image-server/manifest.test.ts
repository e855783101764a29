import { expect, it } from 'vitest'
import { blobsOf, digestOf, isDigest, manifestOf, type StoredFile, whyNotLayers } from './manifest.ts'

const digest = (letter: string) => `sha256:${letter.repeat(64)}`
const layer = (letter: string, packing: StoredFile['packing'] = 'tar'): StoredFile => ({ digest: digest(letter), size: 10, packing })
const config = (...layers: string[]) => Buffer.from(JSON.stringify({ rootfs: { diff_ids: layers.map(digest) } }))

it('names the configuration and the layers, each with the type that says how it is packed', () => {
  const manifest = manifestOf({ digest: digest('c'), size: 7 }, [layer('a'), layer('b', 'gzip'), layer('d', 'zstd')])
  expect(JSON.parse(manifest.toString())).toMatchObject({
    schemaVersion: 2,
    config: { mediaType: 'application/vnd.docker.container.image.v1+json', digest: digest('c'), size: 7 },
    layers: [
      { mediaType: 'application/vnd.docker.image.rootfs.diff.tar', digest: digest('a'), size: 10 },
      { mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip' },
      { mediaType: 'application/vnd.docker.image.rootfs.diff.tar.zstd' },
    ],
  })
  expect(blobsOf(manifest).map((each) => each.digest)).toEqual(['c', 'a', 'b', 'd'].map(digest))
  expect(digestOf(manifest)).toBe(
    digestOf(manifestOf({ digest: digest('c'), size: 7 }, [layer('a'), layer('b', 'gzip'), layer('d', 'zstd')])),
  )
})

it('refuses layers that are not those of the configuration', () => {
  expect(whyNotLayers(config('a', 'b'), [layer('a'), layer('b')])).toBeUndefined()
  expect(whyNotLayers(config('a', 'b'), [layer('a'), layer('e', 'gzip')])).toBeUndefined() // its digest is that of what was packed
  expect(whyNotLayers(config('a', 'b'), [layer('a')])).toBe('it has 1 layers instead of 2')
  const names = Buffer.from(`{${Array.from({ length: 5100 }, (_, n) => `"a${n}":1`).join()}}`)
  expect(whyNotLayers(names, [])).toBe('its configuration has too many parts')
  expect(whyNotLayers(config('a', 'b'), [layer('a'), layer('a')])).toBe('layer 2 is not the one that its configuration names')
})

it.each(['sha256:a', `sha256:${'A'.repeat(64)}`, `sha512:${'a'.repeat(64)}`, `${digest('a')}\n`, `../${digest('a')}`])(
  'is no digest: %j',
  (word) => {
    expect(isDigest(word)).toBe(false)
  },
)
