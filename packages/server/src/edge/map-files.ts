import { mkdir, readFile } from 'node:fs/promises'
import { errorCode } from '../lib/error-code.ts'
import { writeDurably } from '../lib/write-durably.ts'

/** The disk that an HAProxy reads from when it starts, on this machine or on another one. */
export interface EdgeDisk {
  /** Whether the file has this text. */
  holds(path: string, text: string): Promise<boolean>
  isThere(path: string): Promise<boolean>
  /** Of a file that has no key in it. */
  read(path: string): Promise<string | undefined>
  /** So that it survives a loss of power. */
  write(path: string, text: string): Promise<void>
  makeDirectories(paths: readonly string[]): Promise<void>
}

export const OWN_DISK: EdgeDisk = {
  holds: async (path, text) => (await readIfThere(path)) === text,
  isThere: async (path) => (await readIfThere(path)) !== undefined,
  read: readIfThere,
  write: writeDurably,
  makeDirectories,
}

/** Keeps files equal to the wanted texts, and writes only those that differ. */
export function createMirror(disk: EdgeDisk) {
  const written = new Map<string, string>()

  async function put(path: string, text: string): Promise<boolean> {
    if (written.get(path) === text) return false
    const isSame = await disk.holds(path, text)
    if (!isSame) await disk.write(path, text)
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
