import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGzip } from 'node:zlib'
import { COMMIT, VERSION } from '../../lib/version.ts'
import { databasePath } from '../../store/sqlite.ts'
import { type FileSum, textFile, writeArchive } from './archive.ts'
import { through } from './chunks.ts'
import { filesToKeep } from './files.ts'
import { MANIFEST, type Manifest } from './manifest.ts'
import { encrypt } from './passphrase.ts'
import { copyDatabase, readDatabase } from './store.ts'

type Options = { dataDir: string; target: string; withLogs: boolean; passphrase: string | undefined; now: () => Date }

/** Writes a backup beside a server that may be running. The file has its name only once it is whole and on the disk. */
export async function createBackup(options: Options): Promise<{ path: string; bytes: number; manifest: Manifest }> {
  const { dataDir, target, now } = options
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const unfinished = `${target}.unfinished`
  const databaseCopy = join(dirname(target), `.${process.pid}-database`)
  try {
    await rm(databaseCopy, { force: true })
    copyDatabase(databasePath(dataDir), databaseCopy)
    const { instance, schemaVersion } = readDatabase(databaseCopy)
    let manifest: Manifest | undefined
    const manifestOf = (files: readonly FileSum[]) => {
      manifest = { format: 1, version: VERSION, commit: COMMIT, createdAt: now().toISOString(), instance, schemaVersion, files }
      return textFile(MANIFEST, JSON.stringify(manifest, null, 2))
    }
    const plain = writeArchive(filesToKeep(dataDir, { databaseCopy, withLogs: options.withLogs }), manifestOf)
    const packed = through(plain, createGzip())
    await writeAll(unfinished, options.passphrase === undefined ? packed : await encrypt(packed, options.passphrase))
    await rename(unfinished, target)
    await syncDirectory(dirname(target))
    if (!manifest) throw new Error('the archive ended without a manifest')
    return { path: target, bytes: (await stat(target)).size, manifest }
  } finally {
    await rm(databaseCopy, { force: true })
    await rm(unfinished, { force: true })
  }
}

async function writeAll(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for await (const chunk of chunks) await file.write(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
