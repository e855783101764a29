import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveOf } from '../../../../engine/build/tar.ts'
import type { ComposePlan, PlacedFile } from '../../../../engine/compose/stack.ts'
import { writeDurably } from '../../../../lib/write-durably.ts'

const FOLDER = 'files'

function blobsOf(plan: ComposePlan): string[] {
  const placed = plan.services.flatMap(({ files = [], mounts }) => [...files, ...mounts.flatMap(({ fill }) => fill?.files ?? [])])
  return [...new Set(placed.flatMap((file) => ('blob' in file ? [file.blob] : [])))]
}

/** The files that a plan puts into containers, kept beside it: a rollback has no checkout. */
export async function keepFiles(directory: string, plan: ComposePlan, blobs: ReadonlyMap<string, Buffer>): Promise<void> {
  const wanted = blobsOf(plan)
  if (wanted.length === 0) return
  await mkdir(join(directory, FOLDER), { recursive: true, mode: 0o700 })
  for (const blob of wanted) await writeDurably(join(directory, FOLDER, blob), blobs.get(blob) ?? Buffer.alloc(0))
}

/** Those of an earlier release, for the deployment that runs it again. */
export async function takeFilesOver(plan: ComposePlan, { from, to }: { from: string; to: string }): Promise<void> {
  if (from === to || blobsOf(plan).length === 0) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  await cp(join(from, FOLDER), join(to, FOLDER), { recursive: true })
}

/** As the engine takes them, below the directory that it is told. */
export async function archiveFrom(directory: string, files: readonly PlacedFile[]): Promise<Buffer> {
  const read = files.map(async ({ path, mode, ...content }) => ({
    path: path.replace(/^\//, ''),
    mode,
    contents: 'blob' in content ? await readFile(join(directory, FOLDER, content.blob)) : Buffer.from(content.text),
  }))
  return archiveOf(await Promise.all(read))
}
