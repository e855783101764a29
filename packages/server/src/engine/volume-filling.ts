import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { EngineError, isNotFound } from './api/errors.ts'
import type { EngineStream, Transport } from './api/transport.ts'
import { movedArchive } from './build/moved-archive.ts'
import { createContainerContents } from './container-contents.ts'
import { pathOf } from './container-reads.ts'
import { createLend, createLentContainers, type Of } from './lent-container.ts'

/** A container that marks its volume, which is at `path`, as not filled yet. */
type Filling = { readonly id: string; readonly path: string }
type Copy = { readonly volume: string; readonly paths: readonly string[]; readonly begun: Filling | undefined }

/** A volume that the image may fill from the first of `paths` at which it has a directory. */
type Wanted = { readonly volume: string; readonly paths: readonly string[]; readonly isEmpty: () => Promise<boolean> }

/** A cancelled deployment waits for it. */
const MOST_COPY_MS = 10 * 60_000

/**
 * Fills one volume from an image if it is empty, or if filling it was interrupted: then it has some of the files, and only the container
 * that was lent for the copy tells. That one is removed when all files are there, and always before a container starts with the volume.
 */
export function createVolumeFilling({ transport, remove }: { transport: Transport; remove: (id: string) => Promise<void> }) {
  const { put } = createContainerContents({ transport })
  const { create, lend } = createLend({ transport, remove })
  const { list } = createLentContainers({ transport })

  /**
   * Copies the files that the image has at the first of these paths, and their owners, as the engine itself would. Gives the container that
   * marks the volume as not filled yet, if there is one.
   */
  async function copyFromImage(of: Of, { volume, paths, begun }: Copy): Promise<Filling | undefined> {
    let filling = begun
    // From a container of its own, because the engine does not read and write one container at the same time.
    await lend(of, { use: 'image', volumes: [] }, async (source) => {
      for (const path of paths) {
        const signal = AbortSignal.timeout(MOST_COPY_MS)
        const query = { path: `${path}/` } // with the slash a link is followed, as it is for a mount
        const found = await unlessMissing(transport.stream({ method: 'GET', path: `${pathOf(source)}/archive`, query, signal }))
        if (found === undefined) continue
        try {
          filling ??= await begin(of, volume)
          // At the root, because the engine refuses links that lead out of where it unpacks, even if nothing follows them.
          const archive = movedArchive(found.chunks, filling.path.slice(1))
          return await put(filling.id, '/', Readable.from(archive, { objectMode: false }), signal)
        } finally {
          found.close()
        }
      }
    })
    return filling
  }

  async function begin(of: Of, volume: string): Promise<Filling> {
    const path = `/${newWord()}`
    const name = `${of.name}-filling-${randomBytes(8).toString('hex')}`
    return { id: await create(of, { name, use: 'filling', volumes: [{ volume, path }] }), path }
  }

  /** What was left of copies into this volume that did not succeed. */
  async function begunFor(volume: string): Promise<Filling[]> {
    const lent = (await list({ labels: {}, volume })).filter(({ isFilling }) => isFilling)
    return lent.map(({ id, mounts }) => ({ id, path: mounts.find((mount) => mount.volume === volume)?.path ?? '' }))
  }

  return async function fill(of: Of, { volume, paths, isEmpty }: Wanted): Promise<void> {
    const begun = await begunFor(volume)
    const isWanted = paths.length > 0 && (begun.length > 0 || (await isEmpty()))
    const filled = isWanted ? await copyFromImage(of, { volume, paths, begun: begun[0] }) : undefined
    const ended = new Set([...begun, ...(filled === undefined ? [] : [filled])].map(({ id }) => id))
    for (const id of ended) await remove(id)
  }
}

/** A directory that no image can know. */
export function newWord(): string {
  return `berth-${randomBytes(16).toString('hex')}`
}

/** Nothing at the path, or a file: a container with a volume there is refused by the engine. */
async function unlessMissing(stream: Promise<EngineStream>): Promise<EngineStream | undefined> {
  try {
    return await stream
  } catch (cause) {
    if (isNotFound(cause) || (cause instanceof EngineError && cause.message.includes('not a directory'))) return undefined
    throw cause
  }
}
