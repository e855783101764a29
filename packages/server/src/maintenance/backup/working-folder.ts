import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = '.working-'
const OLD_MS = 6 * 60 * 60 * 1000

/** Runs with a temporary folder that only this user can read. Removes it afterwards, and also folders left by killed runs. */
export async function inWorkingFolder<Result>(directory: string, run: (folder: string) => Promise<Result>): Promise<Result> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await removeOld(directory)
  const folder = await mkdtemp(join(directory, PREFIX))
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A newer one may belong to a backup in progress. */
async function removeOld(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((each) => each.startsWith(PREFIX))) {
    const found = await stat(join(directory, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > OLD_MS) await rm(join(directory, name), { recursive: true, force: true })
  }
}
