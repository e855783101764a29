import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createLimiter } from '../../lib/limiter.ts'
import { createTurns, type InTurn } from '../../lib/turns.ts'
import { EngineError } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import type { Images } from '../images.ts'
import { createBlobs } from './blobs.ts'
import { readExport } from './exported-image.ts'
import { blobsOf, manifestOf, whyNotLayers } from './manifest.ts'
import { createManifests } from './manifests.ts'

type Deps = {
  transport: Pick<Transport, 'stream'>
  images: Pick<Images, 'inspect' | 'names'>
  directory: string
  floorBytes: number
  now: () => Date
}

type Stored = { readonly blobs: ReturnType<typeof createBlobs>; readonly manifests: ReturnType<typeof createManifests> }

/** Exports read and write whole images. People take turns, and nobody is refused: deployments are limited, and have deadlines. */
const EXPORTS = { running: 2, runningPerKey: 1, waiting: 10_000, waitingPerKey: 10_000, waitMs: 3600_000 }
/** Of images that a server asks for again: no person waits for them. */
const NOBODY = 0
const EXPORT_ANSWER_MS = 600_000
/** For a server that waits. A deployment has a deadline of its own. */
const EXPORT_MS = 900_000
const MOST_CONFIG_BYTES = 4 * 1024 * 1024
const MOST_KNOWN = 500
/** What is younger may belong to an image that is being stored. */
const KEPT_MS = 3600_000
/** An image is not exported again and again for something that is not in it. */
const AGAIN_MS = 10_000
/** The part of `berth/<name>:release` that is a secret (decision 7). It is the name of a directory here. */
const NAME = /^[a-z0-9][a-z0-9-]{0,199}$/

function localName(name: string): string {
  return `berth/${name}:release`
}

export function isImageName(name: string): boolean {
  return NAME.test(name)
}

/** Reads an image out of the engine. Gives the digest of its manifest. */
function createExports({ transport, directory }: Pick<Deps, 'transport' | 'directory'>, { blobs, manifests }: Stored) {
  const limiter = createLimiter(EXPORTS)

  async function exportNow(name: string, signal?: AbortSignal): Promise<string> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const path = `/images/${localName(name)}/get`
    const { chunks } = await transport.stream({ method: 'GET', path, signal, timeoutMs: EXPORT_ANSWER_MS })
    const { config, layers, stored } = await readExport(chunks, blobs.write)
    const settings = config.size > MOST_CONFIG_BYTES ? undefined : await blobs.read(config.digest)
    const whyNot = settings === undefined ? 'its configuration is too long' : whyNotLayers(settings, layers)
    if (whyNot !== undefined) throw new EngineError(500, `The engine exported an image that other servers could not use: ${whyNot}.`)
    const used = new Set([config, ...layers].map(({ digest }) => digest))
    for (const { digest } of stored) if (!used.has(digest)) await blobs.remove(digest)
    return await manifests.add(name, manifestOf(config, layers))
  }

  return async (name: string, person: number, signal?: AbortSignal): Promise<string> =>
    await limiter.run(person, async () => await exportNow(name, signal), signal)
}

/**
 * Copies of images of this engine, as other engines pull them. As long as the engine has an image, a copy that is missing or damaged is made
 * again when somebody asks for it.
 */
export function createImageStore(deps: Deps) {
  const { images, directory, now } = deps
  const stored = { blobs: createBlobs(deps), manifests: createManifests(join(directory, 'manifests')) }
  const { blobs, manifests } = stored
  const exported = createExports(deps, stored)
  const inTurn = createTurns<string>()
  const known = new Map<string, string>()

  /** The digest of one that is stored already, if all of it is. An image may have another id than its configuration. */
  async function storedAlready(name: string, imageId: string): Promise<string | undefined> {
    for (const digest of await manifests.digestsOf(name)) {
      const bytes = await manifests.read(name, digest)
      const contents = bytes === undefined ? [] : blobsOf(bytes)
      if (contents[0]?.digest !== imageId && known.get(`${name} ${imageId}`) !== digest) continue
      if ((await Promise.all(contents.map(blobs.has))).every(Boolean)) return digest
    }
    return undefined
  }

  /** Stores an image of this engine, unless it is, and gives the digest under which others can pull it. `person` is whose app it is. */
  async function publish(image: string, signal?: AbortSignal, person = NOBODY): Promise<{ name: string; digest: string }> {
    const found = await images.inspect(image, signal)
    if (found === null) throw new EngineError(404, 'The image of the release is not on this server any more.')
    const name = image.replace(/^berth\//, '').replace(/:release$/, '')
    if (!isImageName(name)) throw new EngineError(500, 'This image cannot be given to other servers.')
    return await inTurn(name, async () => {
      const digest = (await storedAlready(name, found.id)) ?? (await exported(name, person, signal))
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(`${name} ${found.id}`, digest)
      return { name, digest }
    })
  }

  /** Removes what neither the engine has nor a service uses. `used` has names with digests, such as `ab12@sha256:…`. */
  async function cleanUp(used: ReadonlySet<string>): Promise<void> {
    const before = new Date(now().getTime() - KEPT_MS)
    const here = new Set(await images.names('berth/*:release'))
    const kept = new Set<string>()
    for (const name of await manifests.names())
      await inTurn(name, async () => {
        const digests = here.has(localName(name)) ? [] : await manifests.digestsOf(name)
        const unused = digests.filter((digest) => !used.has(`${name}@${digest}`))
        await manifests.remove(name, unused, before)
        for (const { digest } of await manifests.contentsOf(name)) kept.add(digest)
      })
    await blobs.removeOthers(kept, before)
  }

  /** Without other servers nothing of it is needed. */
  const removeAll = async (): Promise<void> => await rm(directory, { recursive: true, force: true })
  return { publish, cleanUp, removeAll, ...createFinding(deps, stored, { inTurn, exported }) }
}

type Exporting = { inTurn: InTurn<string>; exported: (name: string, person: number, signal?: AbortSignal) => Promise<string> }

/** What is asked for by others. */
function createFinding({ images, now }: Pick<Deps, 'images' | 'now'>, { blobs, manifests }: Stored, { inTurn, exported }: Exporting) {
  const exportedAt = new Map<string, number>()

  /** What `find` gives; if that is nothing, once more after the image was stored again. */
  async function orAgain<Found>(name: string, find: () => Promise<Found | undefined>): Promise<Found | undefined> {
    return (await find()) ?? (await inTurn(name, async () => (await find()) ?? ((await storeAgain(name)) ? await find() : undefined)))
  }

  async function storeAgain(name: string): Promise<boolean> {
    if (now().getTime() - (exportedAt.get(name) ?? 0) < AGAIN_MS) return false
    if ((await images.inspect(localName(name))) === null) return false
    if (exportedAt.size >= MOST_KNOWN) exportedAt.clear()
    exportedAt.set(name, now().getTime())
    await exported(name, NOBODY, AbortSignal.timeout(EXPORT_MS))
    return true
  }

  async function findBlob(name: string, digest: string): Promise<{ path: string; size: number } | undefined> {
    const wanted = (await manifests.contentsOf(name)).find((each) => each.digest === digest)
    const path = wanted && (await blobs.whole(wanted))
    return wanted === undefined || path === undefined ? undefined : { path, size: wanted.size }
  }

  return {
    manifest: async (name: string, digest: string) => await orAgain(name, async () => await manifests.read(name, digest)),
    blob: async (name: string, digest: string) => await orAgain(name, async () => await findBlob(name, digest)),
  }
}
