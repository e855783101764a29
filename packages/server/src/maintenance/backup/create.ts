import { existsSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGzip } from 'node:zlib'
import { sizeWords } from '@berth/contract'
import { StartRefused } from '../../lib/start-refused.ts'
import { COMMIT, VERSION } from '../../lib/version.ts'
import { syncDirectory } from '../../lib/write-durably.ts'
import { freeBytes } from '../../store/disk-space.ts'
import { nextKeyPath } from '../../store/key-rotation.ts'
import type { DatabaseConfig } from '../../store/open.ts'
import { type ArchiveSum, textFile, writeArchive } from './archive.ts'
import { through } from './chunks.ts'
import { filesToKeep, sizeToKeep } from './files.ts'
import { MANIFEST, type Manifest } from './manifest.ts'
import { encrypt } from './passphrase.ts'
import { copyDatabase, databaseBytes, readDatabase } from './store.ts'
import { inWorkingFolder } from './working-folder.ts'

type Options = {
  dataDir: string
  database: DatabaseConfig
  target: string
  withLogs: boolean
  passphrase: string | undefined
  now: () => Date
}
export type MadeBackup = { path: string; bytes: number; manifest: Manifest }

/** The space to leave for everything else on the disk. */
const SPARE_BYTES = 512 * 1024 ** 2

/** Writes a backup; the server may be running. The file gets its final name only when it is complete and on disk. */
export async function createBackup(options: Options): Promise<MadeBackup> {
  const directory = dirname(options.target)
  return await inWorkingFolder(directory, async (folder) => {
    refuseBetweenKeys(options.dataDir)
    await refuseWithoutSpace(options, directory)
    return await writeInto(folder, options)
  })
}

/** The database may already be sealed with the new key. */
function refuseBetweenKeys(dataDir: string): void {
  if (existsSync(nextKeyPath(dataDir)))
    throw new StartRefused('A key rotation was interrupted. Start Berth once to finish it, then back up.')
}

async function writeInto(folder: string, options: Options): Promise<MadeBackup> {
  const { dataDir, target, withLogs, passphrase, now } = options
  const databaseCopy = join(folder, 'database')
  const unfinished = join(folder, 'backup')
  await copyDatabase(options, databaseCopy)
  const { instance, schemaVersion } = readDatabase(databaseCopy)
  let manifest: Manifest | undefined
  const manifestOf = (sum: ArchiveSum) => {
    manifest = { format: 1, version: VERSION, commit: COMMIT, createdAt: now().toISOString(), instance, schemaVersion, ...sum }
    return textFile(MANIFEST, JSON.stringify(manifest, null, 2))
  }
  const packed = through(writeArchive(filesToKeep(dataDir, { databaseCopy, withLogs }), manifestOf), createGzip())
  await writeAll(unfinished, passphrase === undefined ? packed : await encrypt(packed, passphrase))
  if (!manifest) throw new Error('the archive ended without a manifest')
  await rename(unfinished, target)
  await syncDirectory(dirname(target))
  return { path: target, bytes: (await stat(target)).size, manifest }
}

/** The database is copied first, and how well the rest compresses is unknown. */
async function refuseWithoutSpace(options: Options, directory: string): Promise<void> {
  const { dataDir, withLogs } = options
  const needed = 2 * (await databaseBytes(options)) + (await sizeToKeep(dataDir, { withLogs })) + SPARE_BYTES
  const free = await freeBytes(directory)
  if (free < needed)
    throw new StartRefused(`A backup in ${directory} may need ${sizeWords(needed)}, and ${sizeWords(free)} are free; free some space.`)
}

async function writeAll(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for await (const chunk of chunks) await file.appendFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}
