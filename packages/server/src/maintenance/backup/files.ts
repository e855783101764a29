import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { edgePaths } from '../../edge/paths.ts'
import { errorCode } from '../../lib/error-code.ts'
import { filesBelow } from '../../lib/files-below.ts'
import type { ArchivedFile } from './archive.ts'

export const DATABASE = 'berth.sqlite'
export const SECRETS_KEY = 'secrets.key'
const MOST_FILES = 1_000_000

/** What of a data directory belongs to a backup. The key of the sessions does not: after a restore everybody logs in again. */
export async function* filesToKeep(dataDir: string, options: { databaseCopy: string; withLogs: boolean }): AsyncGenerator<ArchivedFile> {
  yield await fileAt(DATABASE, options.databaseCopy)
  yield await fileAt(SECRETS_KEY, join(dataDir, SECRETS_KEY))
  const edge = edgePaths(join(dataDir, 'edge'))
  const folders = [edge.certificatesDir, join(dataDir, 'compose'), ...(options.withLogs ? [join(dataDir, 'logs')] : [])]
  const single = [join(edge.dir, 'acme-account.pem'), join(edge.dir, 'attempts.json')].filter((path) => existsSync(path))
  for (const path of single) yield await fileAt(relative(dataDir, path), path)
  for (const folder of folders.filter((path) => existsSync(path))) {
    for await (const path of filesBelow(folder, MOST_FILES)) {
      // A release that ends meanwhile takes its files with it; the copy of the database may still name it, and it is not live.
      const file = await fileAt(relative(dataDir, path), path).catch(unlessGone)
      if (file) yield file
    }
  }
}

const ALLOWED = /^(?:berth\.sqlite|secrets\.key|edge\/acme-account\.pem|edge\/attempts\.json|(?:edge\/certs|compose|logs)\/.+)$/

/** Whether a backup may write this path: the ones above, and nothing outside of the data directory. */
export function isPathOfBackup(path: string): boolean {
  const parts = path.split('/')
  return ALLOWED.test(path) && !path.includes('\0') && !parts.includes('..') && !parts.includes('.') && !parts.includes('')
}

async function fileAt(path: string, source: string): Promise<ArchivedFile> {
  const { size } = await stat(source)
  return { path, size, contents: beginning(source, size) }
}

/** As many bytes as it had: a log may grow meanwhile. */
async function* beginning(source: string, size: number): AsyncGenerator<Buffer> {
  if (size > 0) yield* createReadStream(source, { end: size - 1 }) as AsyncIterable<Buffer> // without an encoding it gives bytes
}

function unlessGone(cause: unknown): undefined {
  if (errorCode(cause) !== 'ENOENT') throw cause
}
