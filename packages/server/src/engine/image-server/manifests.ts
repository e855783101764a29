import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../lib/write-durably.ts'
import { removeOlder } from './blobs.ts'
import { blobsOf, type Descriptor, digestOf } from './manifest.ts'

/** The manifests of images, in a directory for each name: whoever knows only a digest gets nothing. */
export function createManifests(directory: string) {
  const pathOf = (name: string, digest: string) => join(directory, name, digest.replace('sha256:', ''))

  /** Undefined if it is not there, or not what its name says. */
  async function read(name: string, digest: string): Promise<Buffer | undefined> {
    const bytes = await readFile(pathOf(name, digest)).catch(() => undefined)
    return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined
  }

  async function add(name: string, bytes: Buffer): Promise<string> {
    const digest = digestOf(bytes)
    await mkdir(join(directory, name), { recursive: true, mode: 0o700 })
    await writeDurably(pathOf(name, digest), bytes)
    return digest
  }

  async function digestsOf(name: string): Promise<string[]> {
    const files = await readdir(join(directory, name)).catch((): string[] => [])
    return files.filter((file) => /^[0-9a-f]{64}$/.test(file)).map((hex) => `sha256:${hex}`)
  }

  /** What all manifests of this name have. */
  async function contentsOf(name: string): Promise<Descriptor[]> {
    const all = await Promise.all((await digestsOf(name)).map(async (digest) => await read(name, digest)))
    return all.flatMap((bytes) => (bytes === undefined ? [] : blobsOf(bytes)))
  }

  /** Unless they are younger. */
  async function remove(name: string, digests: readonly string[], before: Date): Promise<void> {
    for (const digest of digests) await removeOlder(pathOf(name, digest), before)
    await rmdir(join(directory, name)).catch(() => undefined) // it is not empty
  }

  const names = async (): Promise<string[]> => await readdir(directory).catch((): string[] => [])
  return { read, add, digestsOf, contentsOf, remove, names }
}
