import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { EngineError, isNotFound } from './api/errors.ts'
import type { EngineStream, Transport } from './api/transport.ts'
import { END_OF_ARCHIVE, headerOf } from './build/tar.ts'
import { createContainerContents } from './container-contents.ts'
import { pathOf } from './container-reads.ts'
import { createLend, type Of } from './lent-container.ts'

type Mount = { readonly volume: string; readonly path: string; readonly noCopy?: boolean }
/** A volume of the container that only holds volumes: it is at `directory`/`base`. */
type Placed = Mount & { readonly directory: string; readonly base: string }

/** A cancelled deployment waits for it, because a volume that has something is not filled again. */
const MOST_COPY_MS = 10 * 60_000

/**
 * What is put into volumes before a container starts. A running container may have the same volume and change it meanwhile, links included,
 * so the engine must not copy an image's files itself: it would follow such a link out of the volume, as root. Archives are unpacked inside
 * a container, which no link leaves. That container is never started, and has its volumes at paths that an image cannot know, so that no volume is mounted inside
 * another one.
 */
export function createVolumeContents({ transport, remove }: { transport: Transport; remove: (id: string) => Promise<void> }) {
  const { put, look, isEmpty, accountOf } = createContainerContents({ transport })

  const { lend } = createLend({ transport, remove })

  async function withVolumes(of: Of, mounts: readonly Mount[], work: (id: string, placed: readonly Placed[]) => Promise<void>) {
    if (mounts.length === 0) return
    const word = `berth-${randomBytes(16).toString('hex')}`
    const placed = mounts.map((mount, index) => ({ ...mount, directory: `/${word}/${index}`, base: basename(mount.path) }))
    const volumes = placed.map(({ volume, directory, base }) => ({ volume, path: `${directory}/${base}` }))
    await lend(of, { use: 'volumes', volumes }, async (id) => await work(id, placed))
  }

  /** The files that the image has at the paths of empty volumes, and their owners, as the engine itself would copy them. */
  async function copyFromImage(of: Of, id: string, placed: readonly Placed[]): Promise<void> {
    const empty: Placed[] = []
    for (const each of placed) if (!each.noCopy && (await isEmpty(id, `${each.directory}/${each.base}`))) empty.push(each)
    if (empty.length === 0) return
    // From a container of its own, because the engine does not read and write one container at the same time.
    await lend(of, { use: 'image', volumes: [] }, async (source) => {
      const filled = new Set<string>()
      for (const { volume, path, directory } of empty) {
        if (filled.has(volume)) continue // it is mounted at several paths
        const signal = AbortSignal.timeout(MOST_COPY_MS)
        const query = { path: `${path}/` } // with the slash a link is followed, as it is for a mount
        const found = await unlessMissing(transport.stream({ method: 'GET', path: `${pathOf(source)}/archive`, query, signal }))
        if (found === undefined) continue
        await put(id, directory, Readable.from(found.chunks, { objectMode: false }), signal)
        filled.add(volume)
      }
    })
  }

  /** A volume that still belongs to root is given to the image's own account, which could not write to it otherwise. */
  async function giveToAccount(id: string, placed: readonly Placed[]): Promise<void> {
    const account = await accountOf(id, undefined)
    if (account === undefined) return
    for (const { directory, base } of placed) {
      const found = await look(id, `${directory}/${base}`, undefined)
      if (found === undefined || found.account.uid !== 0) continue
      const header = headerOf({ path: base, kind: 'directory', mode: found.mode, size: 0, mtimeSeconds: 0, owner: account })
      await put(id, directory, Readable.from([Buffer.concat([header, END_OF_ARCHIVE])]), undefined)
    }
  }

  /** Fills the empty ones from the image. */
  async function fillEmpty(of: Of, mounts: readonly Mount[], options: { giveToAccount: boolean }): Promise<void> {
    const wanted = options.giveToAccount ? mounts : mounts.filter(({ noCopy }) => !noCopy)
    await withVolumes(of, wanted, async (id, placed) => {
      await copyFromImage(of, id, placed)
      if (options.giveToAccount) await giveToAccount(id, placed)
    })
  }

  /** Writes files into a volume. */
  async function write(of: Of, { volume, archive }: { volume: string; archive: Buffer }): Promise<void> {
    await withVolumes(of, [{ volume, path: '/files' }], async (id, placed) => {
      for (const { directory, base } of placed) await put(id, `${directory}/${base}`, Readable.from([archive]), undefined)
    })
  }

  return { fillEmpty, write }
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
