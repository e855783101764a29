import { constants } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file so that after a crash or power cut it is the old one or the new one, whole. */
export async function writeDurably(path: string, contents: string | Buffer): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600)
  try {
    await file.writeFile(contents)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncDirectory(dirname(path))
}

/** A new name is durable only once its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
