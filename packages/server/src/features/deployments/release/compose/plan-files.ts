import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveOf } from '../../../../engine/build/tar.ts'
import type { ComposePlan, PlacedFile } from '../../../../engine/compose/stack.ts'
import { writeDurably } from '../../../../lib/write-durably.ts'
import { DeploymentFailure } from '../../run/stage.ts'

const FOLDER = 'files'

function blobsOf(plan: ComposePlan): string[] {
  const placed = plan.services.flatMap(({ files = [], mounts }) => [...files, ...mounts.flatMap(({ fill }) => fill?.files ?? [])])
  return [...new Set(placed.flatMap((file) => ('blob' in file ? [file.blob] : [])))]
}

const MOST_PLACED = { bytes: 20 * 1024 ** 2, files: 5000 }

/** Counted per use, because one file can be used many times. A volume shared by several services is filled once. */
export function refuseTooMuchPlaced(plan: ComposePlan, blobs: ReadonlyMap<string, Buffer>): void {
  const volumes = new Set<string>()
  const left = { ...MOST_PLACED }
  function count(files: readonly PlacedFile[], isFilledAlready = false): void {
    for (const file of files) {
      const size = 'blob' in file ? (blobs.get(file.blob)?.length ?? 0) : Buffer.byteLength(file.text)
      left.files -= 1
      if (!isFilledAlready) left.bytes -= size
      if (left.files < 0 || left.bytes < 0)
        throw new DeploymentFailure(
          `The compose file puts more than ${MOST_PLACED.bytes / 1024 ** 2} MiB or ${MOST_PLACED.files} files into its services, counted for each volume, config and secret that names them. Copy them into an image instead.`,
        )
    }
  }
  for (const { files = [], mounts } of plan.services) {
    count(files)
    for (const { volume, fill } of mounts) {
      if (fill) count(fill.files, volumes.has(volume))
      volumes.add(volume)
    }
  }
}

/** Stores the files that a plan puts into containers beside the plan, because a rollback has no checkout. */
export async function keepFiles(directory: string, plan: ComposePlan, blobs: ReadonlyMap<string, Buffer>): Promise<void> {
  const wanted = blobsOf(plan)
  if (wanted.length === 0) return
  await mkdir(join(directory, FOLDER), { recursive: true, mode: 0o700 })
  for (const blob of wanted) await writeDurably(join(directory, FOLDER, blob), blobs.get(blob) ?? Buffer.alloc(0))
}

/** Copies the files of an earlier release for the deployment that runs it again. */
export async function takeFilesOver(plan: ComposePlan, { from, to }: { from: string; to: string }): Promise<void> {
  if (from === to || blobsOf(plan).length === 0) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  await cp(join(from, FOLDER), join(to, FOLDER), { recursive: true })
}

/** As an archive for the engine, relative to the directory it is unpacked in. */
export async function archiveFrom(directory: string, files: readonly PlacedFile[]): Promise<Buffer> {
  const read = files.map(async ({ path, mode, ...content }) => ({
    path: path.replace(/^\//, ''),
    mode,
    contents: 'blob' in content ? await readFile(join(directory, FOLDER, content.blob)) : Buffer.from(content.text),
  }))
  return archiveOf(await Promise.all(read))
}
