import { opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** The files in a directory and below it, up to a limit of entries. Links are not followed. */
export async function* filesBelow(directory: string, mostEntries: number): AsyncGenerator<string> {
  const folders = [directory]
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opendir(folder)) {
      entries += 1
      if (entries > mostEntries) return
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      else if (entry.isFile()) yield join(folder, entry.name)
    }
  }
}
