import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import { archiveOf, END_OF_ARCHIVE, headerOf, paddingFor } from '../build/tar.ts'
import { createImageStore } from './image-store.ts'
import { blobsOf } from './manifest.ts'

const NAME = '0123456789abcdef0123456789abcdef'
const IMAGE = `berth/${NAME}:release`
const HOUR_MS = 3600_000
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const layers = ['one', 'two'].map((word) => archiveOf([{ path: word, mode: 0o644, contents: Buffer.from(word.repeat(1000)) }]))
const configOf = (all: readonly Buffer[]) =>
  Buffer.from(JSON.stringify({ os: 'linux', rootfs: { diff_ids: all.map((each) => `sha256:${sha(each)}`) } }))
const file = (path: string, contents: Buffer | string) => ({ path, mode: 0o644, contents: Buffer.from(contents) })

/** As Docker before 25 exports an image: its own ids for layers, and a link where a layer is in it twice. */
function legacyExport(all: readonly Buffer[]): Buffer {
  const config = configOf(all)
  const [first = Buffer.alloc(0), ...others] = all
  const ids = all.map((_, index) => sha(Buffer.from(`id ${index}`)))
  const again = others.map((each, index) =>
    each.equals(first)
      ? headerOf({
          path: `${ids[index + 1]}/layer.tar`,
          kind: 'symlink',
          mode: 0o777,
          size: 0,
          mtimeSeconds: 0,
          linkTarget: `../${ids[0]}/layer.tar`,
        })
      : plain(`${ids[index + 1]}/layer.tar`, each),
  )
  const list = [{ Config: `${sha(config)}.json`, RepoTags: [IMAGE], Layers: ids.map((id) => `${id}/layer.tar`) }]
  return Buffer.concat([
    headerOf({ path: `${ids[0]}/`, kind: 'directory', mode: 0o755, size: 0, mtimeSeconds: 0 }),
    plain(`${ids[0]}/VERSION`, Buffer.from('1.0')),
    plain(`${ids[0]}/layer.tar`, first),
    ...again,
    plain(`${sha(config)}.json`, config),
    plain('manifest.json', Buffer.from(JSON.stringify(list))),
    plain('repositories', Buffer.from('{}')),
    END_OF_ARCHIVE,
  ])
}

function plain(path: string, contents: Buffer): Buffer {
  return Buffer.concat([
    headerOf({ path, kind: 'file', mode: 0o644, size: contents.length, mtimeSeconds: 0 }),
    contents,
    paddingFor(contents.length),
  ])
}

/** As later versions do: everything by its digest, also the manifest of the engine's own, and layers as they were pulled. */
function layoutExport(all: readonly Buffer[], pack: (layer: Buffer) => Buffer): Buffer {
  const [config, packed] = [configOf(all), all.map(pack)]
  const path = (bytes: Buffer) => `blobs/sha256/${sha(bytes)}`
  const other = Buffer.from('{"schemaVersion":2}')
  const list = [{ Config: path(config), RepoTags: [IMAGE], Layers: packed.map(path) }]
  const blobs = [config, ...packed, other].map((bytes) => file(path(bytes), bytes))
  return archiveOf([...blobs, file('index.json', '{}'), file('manifest.json', JSON.stringify(list)), file('oci-layout', '{}')])
}

async function openStore(exported: Buffer | (() => Buffer), options: { floorBytes?: number; imageId?: string } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'berth-images-'))
  const seen = { exports: 0, now: Date.now(), isHere: true, isListed: true }
  const bytes = typeof exported === 'function' ? exported : () => exported
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes().length; at += 700) yield bytes().subarray(at, at + 700)
  }
  const store = createImageStore({
    directory,
    floorBytes: options.floorBytes ?? 0,
    now: () => new Date(seen.now),
    images: {
      inspect: async (name) =>
        seen.isHere && name === IMAGE ? ({ id: options.imageId ?? `sha256:${sha(configOf(layers))}` } as never) : null,
      names: async () => (seen.isHere && seen.isListed ? [IMAGE] : []),
    },
    transport: {
      stream: async () => {
        seen.exports += 1
        return { contentType: '', chunks: chunks(), close: () => undefined }
      },
    },
  })
  const files = async () => (await readdir(join(directory, 'blobs')).catch((): string[] => [])).toSorted()
  return { store, seen, directory, files, [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true, force: true }) }
}

const contentsOf = async (lab: Awaited<ReturnType<typeof openStore>>) => {
  const { name, digest } = await lab.store.publish(IMAGE)
  return blobsOf((await lab.store.manifest(name, digest)) ?? Buffer.from('{}')).map((each) => each.digest)
}
const wanted = (...all: Buffer[]) => [configOf(layers), ...all].map((bytes) => `sha256:${sha(bytes)}`)

it('reads what Docker before 25 exports', async () => {
  await using lab = await openStore(legacyExport(layers))
  expect(await contentsOf(lab)).toEqual(wanted(...layers))
  expect(await lab.files()).toEqual(
    wanted(...layers)
      .map((each) => each.slice(7))
      .toSorted(),
  )
  await lab.store.publish(IMAGE)
  expect(lab.seen.exports).toBe(1)
})

it('reads an image with the same layer twice', async () => {
  const [one = Buffer.alloc(0)] = layers
  await using lab = await openStore(legacyExport([one, one]))
  const digests = await contentsOf(lab)
  expect(digests.slice(1)).toEqual([`sha256:${sha(one)}`, `sha256:${sha(one)}`])
})

it.each([
  ['unpacked', (layer: Buffer) => layer],
  ['packed', (layer: Buffer) => gzipSync(layer)],
])('reads what later versions export, with layers %s', async (_name, pack) => {
  await using lab = await openStore(layoutExport(layers, pack), { imageId: 'sha256:of-a-manifest' })
  expect(await contentsOf(lab)).toEqual(wanted(...layers.map(pack)))
  expect(await lab.files()).toHaveLength(3) // not the engine's own manifest
  await lab.store.publish(IMAGE)
  expect(lab.seen.exports).toBe(1)
})

it.each<[string, Buffer, string]>([
  ['without a list of layers', archiveOf([file('repositories', '{}')]), 'without'],
  ['with a layer missing', archiveOf([file('manifest.json', JSON.stringify([{ Config: 'x', Layers: ['../../secrets.key'] }]))]), 'without'],
  ['with other layers than it says', layoutExport([...layers, ...layers], (layer) => layer).subarray(0, -1024), 'too early'],
  ['that was cut', legacyExport(layers).subarray(0, 5000), 'too early'],
])('refuses an export %s, and keeps no part of it under a wrong name', async (_name, bytes, words) => {
  await using lab = await openStore(bytes)
  await expect(lab.store.publish(IMAGE)).rejects.toThrow(words)
  expect(await readdir(join(lab.directory, 'manifests')).catch(() => [])).toEqual([])
  expect(await readdir(join(lab.directory, 'incoming')).catch(() => [])).toEqual([])
})

it('one person with many images keeps nobody else waiting', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-images-'))
  const begun: string[] = []
  const store = createImageStore({
    directory,
    floorBytes: 0,
    now: () => new Date(),
    images: { inspect: async (name) => ({ id: name }) as never, names: async () => [] }, // only the id is read
    transport: {
      stream: async ({ path, signal }) => {
        begun.push(path)
        return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('cancelled'))))
      },
    },
  })
  const [ADA, EVE] = [1, 2]
  const cancel = new AbortController()
  const publish = (name: string, person: number) => store.publish(`berth/${name}:release`, cancel.signal, person).catch(() => undefined)
  const all = [publish('eve1', EVE), publish('eve2', EVE), publish('eve3', EVE), publish('ada1', ADA)]
  await vi.waitFor(() => expect(begun).toHaveLength(2))
  expect(begun.toSorted()).toEqual(['/images/berth/ada1:release/get', '/images/berth/eve1:release/get'])
  cancel.abort()
  await Promise.all(all)
  await rm(directory, { recursive: true })
  expect(begun).toHaveLength(2) // those that waited have left
})

it('refuses a full disk with a sentence', async () => {
  await using lab = await openStore(legacyExport(layers), { floorBytes: 2 ** 60 })
  await expect(lab.store.publish(IMAGE)).rejects.toThrow('The disk of this server is too full')
  expect(await lab.files()).toEqual([])
})

it('makes again what is damaged or gone, once, and gives nothing of another image', async () => {
  await using lab = await openStore(legacyExport(layers))
  const { name, digest } = await lab.store.publish(IMAGE)
  const [, layer = ''] = wanted(...layers)
  const path = join(lab.directory, 'blobs', layer.slice(7))
  const given = async () => (await lab.store.blob(name, layer))?.path
  for (const damage of [
    async () => await truncate(path, 5),
    async () => await writeFile(path, 'x'.repeat(layers[0]?.length ?? 0)),
    async () => await rm(path),
  ]) {
    await damage()
    lab.seen.now += 20_000
    expect(await given()).toBe(path)
    expect(await given()).toBe(path)
  }
  await rm(join(lab.directory, 'manifests'), { recursive: true })
  lab.seen.now += 20_000
  expect(await lab.store.manifest(name, digest)).toBeDefined()
  expect(lab.seen.exports).toBe(5)
  expect(await lab.store.blob(name, `sha256:${'0'.repeat(64)}`)).toBeUndefined()
  expect(await lab.store.blob('another', layer)).toBeUndefined()
})

async function makeOld({ directory, seen }: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  for (const folder of ['blobs', `manifests/${NAME}`])
    for (const each of await readdir(join(directory, folder)).catch((): string[] => []))
      await utimes(join(directory, folder, each), 1, (seen.now - 2 * HOUR_MS) / 1000)
}

it('what is published while a clean-up runs can be pulled, also if that began before the image was built', async () => {
  await using lab = await openStore(legacyExport(layers))
  lab.seen.isListed = false
  for (let round = 0; round < 60; round += 1) {
    await makeOld(lab) // of an earlier release with the same layers
    const publishing = sleep(round % 6).then(async () => await lab.store.publish(IMAGE))
    const [{ name, digest }] = await Promise.all([publishing, lab.store.cleanUp(new Set())])
    lab.seen.now += HOUR_MS / 60
    const manifest = await lab.store.manifest(name, digest)
    const found = await Promise.all(blobsOf(manifest ?? Buffer.from('{}')).map(async (each) => await lab.store.blob(name, each.digest)))
    expect(found).toEqual([expect.anything(), expect.anything(), expect.anything()])
  }
})

it('keeps what the engine has, what a service uses and what is young, and removes the rest', async () => {
  await using lab = await openStore(legacyExport(layers))
  const { name, digest } = await lab.store.publish(IMAGE)
  const all = await lab.files()
  await writeFile(join(lab.directory, 'blobs', 'f'.repeat(64)), 'of nobody')
  const age = async () => await makeOld(lab)
  await lab.store.cleanUp(new Set())
  expect(await lab.files()).toHaveLength(all.length + 1)
  await age()
  await lab.store.cleanUp(new Set())
  expect(await lab.files()).toEqual(all)
  lab.seen.isHere = false
  await lab.store.cleanUp(new Set([`${name}@${digest}`]))
  expect(await lab.files()).toEqual(all)
  await lab.store.cleanUp(new Set([`other@${digest}`]))
  expect(await lab.files()).toEqual([])
  expect(await readdir(join(lab.directory, 'manifests'))).toEqual([])
  expect(await lab.store.manifest(name, digest)).toBeUndefined()
})
