import { opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** The files in a directory and below it, up to a limit of entries, without those in the folders to skip. Links are not followed. */
export async function* filesBelow(directory: string, mostEntries: number, skip: ReadonlySet<string> = new Set()): AsyncGenerator<string> {
  const folders = [directory]
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opendir(folder)) {
      entries += 1
      if (entries > mostEntries) return
      const path = join(folder, entry.name)
      if (entry.isFile()) yield path
      else if (entry.isDirectory() && !skip.has(path)) folders.push(path)
    }
  }
}
