import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The bytes of all files in a directory, those of its directories included. Files that disappear meanwhile are ignored. */
export async function directorySize(directory: string, isCounted: (name: string) => boolean = () => true): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    if (!isCounted(entry.name)) continue
    const path = join(directory, entry.name)
    if (entry.isDirectory()) bytes += await directorySize(path)
    else if (entry.isFile())
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return bytes
}
