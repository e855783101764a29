import { Readable } from 'node:stream'
import { EngineError } from './api/errors.ts'
import type { Transport } from './api/transport.ts'
import { type ArchiveSum, summed } from './archive-sum.ts'
import { createContainerContents } from './container-contents.ts'
import { pathOf } from './container-reads.ts'
import { projectNetworkName, volumeLabels } from './labels.ts'
import { createLend } from './lent-container.ts'
import type { PlacedVolumes } from './swarm/placed-volumes.ts'
import type { createVolumes } from './volumes.ts'

type Deps = {
  transport: Transport
  remove: (id: string) => Promise<void>
  volumes: Pick<ReturnType<typeof createVolumes>, 'ensure' | 'remove'>
  placed: PlacedVolumes
  /** For containers that are never started. */
  imageOf: (instance: string) => Promise<string>
}
type OfApp = { readonly instance: string; readonly projectId: number; readonly appId: number }
/** The id of another server, or undefined for this one. */
type At = string | undefined
export type VolumeMove = {
  readonly app: OfApp
  readonly volume: string
  readonly from: At
  readonly to: At
  /** What may be written. The holes of sparse files are copied as zeros, so a copy can be far larger than the volume is on its disk. */
  readonly mostBytes: number
  readonly signal: AbortSignal
}

/** Where a volume is in the container that reads or writes it, as in those of agents. */
const PATH = '/data'

/**
 * Copies a volume from one server to another. The engines read and write archives, which keep owners, modes and links; agents pass them on. The
 * copy is read again and must have the same files with the same contents.
 */
export function createVolumeCopies({ transport, remove, volumes, placed, imageOf }: Deps) {
  const { put } = createContainerContents({ transport })
  const { lend } = createLend({ transport, remove })

  async function lendHere(app: OfApp, volume: string, work: (id: string) => Promise<void>): Promise<void> {
    const of = {
      name: `${volume}-lent`,
      image: await imageOf(app.instance),
      labels: volumeLabels(app),
      network: projectNetworkName(app.instance, app.projectId),
    }
    await lend(of, { use: 'volumes', volumes: [{ volume, path: PATH }] }, work)
  }

  async function read({ app, volume, signal }: VolumeMove, at: At, work: (archive: AsyncIterable<Buffer>) => Promise<void>): Promise<void> {
    if (at !== undefined) return await placed.read({ instance: app.instance, serverId: at }, volume, work, signal)
    await lendHere(app, volume, async (id) => {
      const found = await transport.stream({ method: 'GET', path: `${pathOf(id)}/archive`, query: { path: PATH }, signal })
      try {
        await work(found.chunks)
      } finally {
        found.close()
      }
    })
  }

  async function write({ app, volume, signal }: VolumeMove, at: At, archive: Readable): Promise<void> {
    if (at !== undefined) return await placed.write({ instance: app.instance, serverId: at }, volume, archive, signal)
    await lendHere(app, volume, async (id) => await put(id, '/', archive, signal))
  }

  async function removeCopy({ app: { instance }, volume, signal }: Omit<VolumeMove, 'from' | 'to' | 'mostBytes'>, at: At): Promise<void> {
    if (at === undefined) await volumes.remove(volume, signal)
    else await placed.remove({ instance, serverId: at }, volume, signal)
  }

  async function create({ app, volume, signal }: VolumeMove, at: At): Promise<void> {
    if (at === undefined) await volumes.ensure(volume, volumeLabels(app), signal)
    else await placed.ensure(at, volume, volumeLabels(app), signal)
  }

  /** What an earlier try has left at the destination is replaced. */
  async function copy(move: VolumeMove): Promise<ArchiveSum> {
    await removeCopy(move, move.to)
    await create(move, move.to)
    const sums: ArchiveSum[] = []
    const note = (sum: ArchiveSum) => void sums.push(sum)
    await read(move, move.from, async (archive) => {
      const sent = summed(archive, note, move.mostBytes)
      await write(move, move.to, Readable.from(sent, { objectMode: false }))
    })
    await read(move, move.to, async (archive) => {
      for await (const _piece of summed(archive, note)) move.signal.throwIfAborted()
    })
    const [sent, found] = sums
    if (sent === undefined || found === undefined) throw new EngineError(500, `The copy of the volume ${move.volume} did not end.`)
    if (sent.checksum !== found.checksum || sent.files !== found.files || sent.bytes !== found.bytes)
      throw new EngineError(
        500,
        `The copy of the volume ${move.volume} is not the same: ${words(sent)} were sent, and it has ${words(found)}.`,
      )
    return found
  }

  return { copy }
}

function words({ files, bytes, checksum }: ArchiveSum): string {
  return `${files} files with ${bytes} bytes (${checksum.slice(0, 12)})`
}
