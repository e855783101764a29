import { existsSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { edgePaths } from '../../edge/paths.ts'
import { errorCode } from '../../lib/error-code.ts'
import { filesBelow } from '../../lib/files-below.ts'
import type { ArchivedFile } from './archive.ts'

export const DATABASE = 'berth.sqlite'
export const SECRETS_KEY = 'secrets.key'

/**
 * The parts of a data directory that are backed up besides the database. Not the key of the sessions: after a restore everybody logs in
 * again.
 */
async function* pathsToKeep(dataDir: string, { withLogs }: { withLogs: boolean }): AsyncGenerator<string> {
  yield join(dataDir, SECRETS_KEY)
  const edge = edgePaths(join(dataDir, 'edge'))
  yield join(edge.dir, 'acme-account.pem')
  yield join(edge.dir, 'attempts.json')
  const folders = [edge.certificatesDir, join(dataDir, 'compose'), ...(withLogs ? [join(dataDir, 'logs')] : [])]
  for (const folder of folders.filter((path) => existsSync(path))) yield* filesBelow(folder, Number.POSITIVE_INFINITY)
}

/** In bytes, without the database. */
export async function sizeToKeep(dataDir: string, options: { withLogs: boolean }): Promise<number> {
  let bytes = 0
  for await (const path of pathsToKeep(dataDir, options)) bytes += (await stat(path).catch(unlessGone))?.size ?? 0
  return bytes
}

/** A file that is deleted meanwhile is skipped: it belongs to a release that is no longer live. */
export async function* filesToKeep(dataDir: string, options: { databaseCopy: string; withLogs: boolean }): AsyncGenerator<ArchivedFile> {
  yield* opened(DATABASE, options.databaseCopy)
  for await (const path of pathsToKeep(dataDir, options)) yield* opened(relative(dataDir, path), path)
}

const ALLOWED = /^(?:berth\.sqlite|secrets\.key|edge\/acme-account\.pem|edge\/attempts\.json|(?:edge\/certs|compose|logs)\/.+)$/

/** Whether a backup may write this path: only the parts above, and nothing outside the data directory. */
export function isPathOfBackup(path: string): boolean {
  const parts = path.split('/')
  return ALLOWED.test(path) && !path.includes('\0') && !parts.includes('..') && !parts.includes('.') && !parts.includes('')
}

/** Opened once, so that the size and the contents are from the same file. */
async function* opened(path: string, source: string): AsyncGenerator<ArchivedFile> {
  const file = await open(source, 'r').catch(unlessGone)
  if (!file) return
  try {
    const { size } = await file.stat()
    yield { path, size, contents: beginning(file, size) }
  } finally {
    await file.close()
  }
}

/** Exactly as many bytes as it had, because a log may grow meanwhile. */
async function* beginning(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  if (size > 0) yield* file.createReadStream({ start: 0, end: size - 1, autoClose: false }) as AsyncIterable<Buffer> // without an encoding it gives bytes
}

function unlessGone(cause: unknown): undefined {
  if (errorCode(cause) !== 'ENOENT') throw cause
}
