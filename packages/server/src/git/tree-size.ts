import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { RepositoryTooLarge, SourceRefused } from './errors.ts'
import { type Gitlink, gitlinkIn } from './gitlinks.ts'

export type Size = { readonly bytes: number; readonly files: number }
export type SizeLimits = {
  readonly maxBytes: number
  readonly maxFiles: number
  /** What other parts of the same checkout have taken of it. */
  readonly used?: Size
}

export const DEFAULT_LIMITS: SizeLimits = { maxBytes: 1024 ** 3, maxFiles: 200_000 }

/** The size of a directory and of what was used before; throws as soon as it exceeds the limit. Files may come and go meanwhile. */
export async function checkDirectorySize(directory: string, limits: SizeLimits): Promise<Size> {
  return await sizeBelow(directory, limits)
}

/** The same for the files of a checkout. `.gitattributes` may make them much larger than they are in the repository. */
export async function checkCheckoutSize(directory: string, limits: SizeLimits): Promise<Size> {
  return await sizeBelow(directory, limits, path.join(directory, '.git'))
}

async function sizeBelow(directory: string, limits: SizeLimits, leftOut?: string): Promise<Size> {
  const tally = createTally(limits)
  const waiting = [directory]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const here = at
    const entries = await readdir(here, { withFileTypes: true }).catch(() => [])
    const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(here, name))
    for (const each of directories) if (each !== leftOut) waiting.push(each)
    const files = entries.filter((entry) => entry.isFile())
    for (const { name } of files) tally.add((await lstat(path.join(here, name)).catch(() => null))?.size ?? 0)
  }
  return tally.size()
}

/** The longest path that Linux accepts. Checking out a longer one would fail. */
const MAX_PATH_BYTES = 4096
/** Mode, kind, hash and size before the path. */
const MAX_ENTRY_BYTES = MAX_PATH_BYTES + 128
/** For all names of a tree. The largest repositories that people build have a tenth of this. */
const MAX_LIST_BYTES = 64 * 1024 ** 2

/** The arguments of `ls-tree`: directories count too, because a tree of empty ones can refer to itself endlessly. */
export const LIST_TREE = ['ls-tree', '-r', '-t', '-z'] as const

/** What a checkout needs to know about a tree besides its size. `hasAttributes`: its files may differ in size from what is in the repository. */
export type TreeNotes = { readonly links: Gitlink[]; hasAttributes: boolean }

/** Parses `ls-tree -r -t -z -l` in chunks: the size of a checkout, before anything is written. */
export function createTreeCheck(limits: SizeLimits, notes: TreeNotes) {
  const tally = createTally(limits)
  return createEntryReader((entry) => {
    tally.add(Number(/^\d+ \w+ [0-9a-f]+ +(\d+)\t/.exec(entry)?.[1] ?? 0))
    if (/[\t/]\.gitattributes$/.test(entry)) notes.hasAttributes = true
    const link = gitlinkIn(entry)
    if (link !== undefined) notes.links.push(link)
  })
}

/** Splits the output of `-z` into entries, as latin1. Holds no more than one entry and one chunk. */
export function createEntryReader(onEntry: (entry: string) => void) {
  let rest = ''
  let bytes = 0
  return (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > MAX_LIST_BYTES) throw new RepositoryTooLarge(`${MAX_LIST_BYTES / 1024 ** 2} MiB of file names`)
    const entries = (rest + chunk.toString('latin1')).split('\u0000')
    if (entries.some((entry) => entry.length > MAX_ENTRY_BYTES))
      throw new SourceRefused(`The repository has a file whose path is longer than ${MAX_PATH_BYTES} bytes. Shorten its name.`)
    rest = entries.pop() ?? ''
    for (const entry of entries) onEntry(entry)
  }
}

function createTally(limits: SizeLimits) {
  let { bytes, files } = limits.used ?? { bytes: 0, files: 0 }
  return {
    size: (): Size => ({ bytes, files }),
    add(size: number): void {
      bytes += size
      files += 1
      if (bytes > limits.maxBytes) throw new RepositoryTooLarge(`${Math.round(limits.maxBytes / 1024 ** 2)} MiB`)
      if (files > limits.maxFiles) throw new RepositoryTooLarge(`${limits.maxFiles} files and directories`)
    },
  }
}
