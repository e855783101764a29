import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { createTurns } from '../../lib/turns.ts'
import { EngineError } from '../api/errors.ts'
import { type Descriptor, type Packing, type StoredFile } from './manifest.ts'

type Deps = {
  directory: string
  /** As much disk space stays free. */
  floorBytes: number
  now: () => Date
}

const LOOK_EVERY_BYTES = 64 * 1024 * 1024
/** A file that was read and found whole is not read again for so long. */
const TRUSTED_MS = 60_000
const GZIP = Buffer.from([0x1f, 0x8b])
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * Layers and configurations by their digests. They can all be made again from the engine, so nothing is flushed to the disk: a file that is
 * not what its name says is removed instead of being used.
 */
export function createBlobs({ directory, floorBytes, now }: Deps) {
  const places = { blobs: join(directory, 'blobs'), incoming: join(directory, 'incoming') }
  const { blobs, incoming } = places
  const inTurn = createTurns<string>()
  const trusted = new Map<string, { until: number; is: string }>()
  const pathOf = (digest: string) => join(blobs, digest.replace('sha256:', ''))

  /** Whether it is there, with this size. */
  async function has({ digest, size }: Descriptor): Promise<boolean> {
    return (await stat(pathOf(digest)).catch(() => undefined))?.size === size
  }

  /** The path of its file. Undefined if it is not there, or damaged: then it is removed. Of those who ask at once the first one has it read. */
  async function whole(wanted: Descriptor): Promise<string | undefined> {
    return await inTurn(wanted.digest, async () => await wholeNow(wanted))
  }

  async function wholeNow({ digest, size }: Descriptor): Promise<string | undefined> {
    const path = pathOf(digest)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) return undefined
    const is = `${found.ino} ${found.mtimeMs} ${found.size}`
    const known = trusted.get(digest)
    if (known?.is === is && known.until > now().getTime()) return path
    trusted.delete(digest)
    if (found.size === size && (await hashOf(path)) === digest) {
      trusted.set(digest, { is, until: now().getTime() + TRUSTED_MS })
      return path
    }
    await rm(path, { force: true })
    return undefined
  }

  /** All but those, unless they are younger. */
  async function removeOthers(kept: ReadonlySet<string>, before: Date): Promise<void> {
    for (const folder of [blobs, incoming])
      for (const name of await readdir(folder).catch(() => []))
        if (!kept.has(`sha256:${name}`)) await removeOlder(join(folder, name), before)
  }

  return {
    write: createWrite(places, floorBytes),
    has,
    whole,
    removeOthers,
    read: async (digest: string): Promise<Buffer> => await readFile(pathOf(digest)),
    remove: async (digest: string): Promise<void> => await rm(pathOf(digest), { force: true }),
  }
}

function createWrite({ blobs, incoming }: { blobs: string; incoming: string }, floorBytes: number) {
  async function write(contents: AsyncIterable<Buffer>): Promise<StoredFile> {
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    await mkdir(blobs, { recursive: true, mode: 0o700 })
    const path = join(incoming, randomBytes(8).toString('hex'))
    const file = await open(path, 'wx', 0o600)
    try {
      const stored = await writeAll(file, contents)
      await file.close()
      await rename(path, join(blobs, stored.digest.replace('sha256:', '')))
      return stored
    } catch (cause) {
      await file.close().catch(() => undefined)
      await rm(path, { force: true })
      throw errorCode(cause) === 'ENOSPC' ? tooFull() : cause
    }
  }

  async function writeAll(file: FileHandle, contents: AsyncIterable<Buffer>): Promise<StoredFile> {
    const hash = createHash('sha256')
    let [size, lookAt, beginning] = [0, 0, Buffer.alloc(0)]
    for await (const chunk of contents) {
      if (size >= lookAt) {
        await refuseFullDisk(chunk.length)
        lookAt = size + LOOK_EVERY_BYTES
      }
      if (beginning.length < ZSTD.length) beginning = Buffer.concat([beginning, chunk.subarray(0, ZSTD.length)])
      hash.update(chunk)
      size += chunk.length
      await file.writeFile(chunk)
    }
    return { digest: `sha256:${hash.digest('hex')}`, size, packing: packingOf(beginning) }
  }

  async function refuseFullDisk(wantedBytes: number): Promise<void> {
    const disk = await statfs(incoming)
    if (disk.bavail * disk.bsize < floorBytes + wantedBytes) throw tooFull()
  }

  /** Under its digest, once all of it is there. */
  return write
}

export async function removeOlder(path: string, before: Date): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && found.mtimeMs < before.getTime()) await rm(path, { force: true })
}

function packingOf(beginning: Buffer): Packing {
  if (beginning.subarray(0, GZIP.length).equals(GZIP)) return 'gzip'
  return beginning.subarray(0, ZSTD.length).equals(ZSTD) ? 'zstd' : 'tar'
}

async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw cause
  }
  return `sha256:${hash.digest('hex')}`
}

function tooFull(): EngineError {
  return new EngineError(
    507,
    'The disk of this server is too full to keep the image for the other servers. Free some space, then deploy again.',
  )
}
