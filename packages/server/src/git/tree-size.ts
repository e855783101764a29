import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { RepositoryTooLarge } from './errors.ts'

export type SizeLimits = { readonly maxBytes: number; readonly maxFiles: number }

export const DEFAULT_LIMITS: SizeLimits = { maxBytes: 1024 ** 3, maxFiles: 200_000 }

/** The bytes in a directory; throws as soon as it holds more than it may. Files that come and go while it looks do not matter. */
export async function checkDirectorySize(directory: string, limits: SizeLimits): Promise<number> {
  const tally = createTally(limits)
  const waiting = [directory]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const here = at
    const entries = await readdir(here, { withFileTypes: true }).catch(() => [])
    waiting.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(here, name)))
    const files = entries.filter((entry) => entry.isFile())
    for (const { name } of files) tally.add((await lstat(path.join(here, name)).catch(() => null))?.size ?? 0)
  }
  return tally.bytes()
}

/** Reads `ls-tree -r -l -z`, piece by piece: what a checkout would write, known before a byte of it is written. */
export function createTreeCheck(limits: SizeLimits) {
  const tally = createTally(limits)
  return createEntryReader((entry) => tally.add(Number(/^\d+ \w+ [0-9a-f]+ +(\d+)\t/.exec(entry)?.[1] ?? 0)))
}

/** Cuts the output of `-z` into its entries, whose bytes are the characters 0 to 255. */
export function createEntryReader(onEntry: (entry: string) => void) {
  let rest = ''
  return (chunk: Buffer): void => {
    const entries = (rest + chunk.toString('latin1')).split('\u0000')
    rest = entries.pop() ?? ''
    for (const entry of entries) onEntry(entry)
  }
}

function createTally(limits: SizeLimits) {
  let bytes = 0
  let files = 0
  return {
    bytes: () => bytes,
    add(size: number): void {
      bytes += size
      files += 1
      if (bytes > limits.maxBytes) throw new RepositoryTooLarge(`${Math.round(limits.maxBytes / 1024 ** 2)} MiB`)
      if (files > limits.maxFiles) throw new RepositoryTooLarge(`${limits.maxFiles} files`)
    },
  }
}
