import { mkdir, readFile } from 'node:fs/promises'
import { errorCode } from '../lib/error-code.ts'
import { writeDurably } from '../lib/write-durably.ts'

/** Keeps files equal to the wanted texts, and writes only those that differ. */
export function createMirror() {
  const written = new Map<string, string>()

  async function put(path: string, text: string): Promise<boolean> {
    if (written.get(path) === text) return false
    const isSame = (await readIfThere(path)) === text
    if (!isSame) await writeDurably(path, text)
    written.set(path, text)
    return !isSame
  }

  /** Forgets what was written, so that the next `put` reads the disk again. */
  function invalidate(): void {
    written.clear()
  }

  return { put, invalidate }
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw cause
  }
}

export async function makeDirectories(paths: readonly string[]): Promise<void> {
  for (const path of paths) await mkdir(path, { recursive: true, mode: 0o700 })
}
