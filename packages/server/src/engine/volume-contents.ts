import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { createTurns } from '../lib/turns.ts'
import type { Transport } from './api/transport.ts'
import { END_OF_ARCHIVE, headerOf } from './build/tar.ts'
import { createContainerContents } from './container-contents.ts'
import { createLend, type Of } from './lent-container.ts'
import { createVolumeFilling, newWord } from './volume-filling.ts'

type Mount = { readonly volume: string; readonly path: string; readonly noCopy?: boolean }
/** A volume of the container that only holds volumes: it is at `directory`/`base`. */
type Placed = Mount & { readonly directory: string; readonly base: string }

/**
 * What is put into volumes before a container starts. A running container may have the same volume and change it meanwhile, links included,
 * so the engine must not copy an image's files itself: it would follow such a link out of the volume, as root. Archives are unpacked inside
 * a container, which no link leaves. That container is never started, and has its volumes at paths that an image cannot know, so that no
 * volume is mounted inside another one.
 */
export function createVolumeContents({ transport, remove }: { transport: Transport; remove: (id: string) => Promise<void> }) {
  const { put, look, isEmpty, accountOf } = createContainerContents({ transport })
  const { lend } = createLend({ transport, remove })
  const fill = createVolumeFilling({ transport, remove })
  const inTurn = createTurns<string>()

  async function withVolumes(of: Of, mounts: readonly Mount[], work: (id: string, placed: readonly Placed[]) => Promise<void>) {
    if (mounts.length === 0) return
    const word = newWord()
    const placed = mounts.map((mount, index) => ({ ...mount, directory: `/${word}/${index}`, base: basename(mount.path) }))
    const volumes = placed.map(({ volume, directory, base }) => ({ volume, path: `${directory}/${base}` }))
    await lend(of, { use: 'volumes', volumes }, async (id) => await work(id, placed))
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

  /** Fills the empty ones from the image. Containers that share a volume wait for each other: the first one may start and use it. */
  async function fillEmpty(of: Of, mounts: readonly Mount[], options: { giveToAccount: boolean }): Promise<void> {
    await withVolumes(of, mounts, async (id, placed) => {
      for (const [volume, at] of Map.groupBy(placed, (each) => each.volume)) {
        const paths = at.filter(({ noCopy }) => !noCopy).map(({ path }) => path)
        const looked = async () => await isEmpty(id, at.map(({ directory, base }) => `${directory}/${base}`)[0] ?? '')
        await inTurn(volume, async () => await fill(of, { volume, paths, isEmpty: looked }))
      }
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
