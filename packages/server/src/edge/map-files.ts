import { constants } from 'node:fs'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file so that after a crash or power cut it is the old one or the new one, whole. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncDirectory(dirname(path))
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Keeps files equal to wanted texts, and touches the disk only where they differ. */
export function createMirror() {
  const written = new Map<string, string>()

  async function put(path: string, text: string): Promise<boolean> {
    if (written.get(path) === text) return false
    const isSame = (await readIfThere(path)) === text
    if (!isSame) await writeDurably(path, text)
    written.set(path, text)
    return !isSame
  }

  /** Forgets what was written, so that the next `put` looks at the disk again. */
  function doubt(): void {
    written.clear()
  }

  return { put, doubt }
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}

export async function makeDirectories(paths: readonly string[]): Promise<void> {
  for (const path of paths) await mkdir(path, { recursive: true, mode: 0o700 })
}
