import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { secretFile } from '../../lib/secret-file.ts'
import { StartRefused } from '../../lib/start-refused.ts'
import { rememberPostgres } from '../../store/data-directory-owner.ts'
import { migrations } from '../../store/migrations/index.ts'
import { withDatabaseAlone } from '../../store/postgres/alone.ts'
import { copyIntoPostgres, finishCopy } from '../../store/transfer/into-postgres.ts'
import { withSqliteSource } from '../../store/transfer/sqlite-file.ts'
import type { ArchivedFile } from './archive.ts'
import { DamagedBackup } from './damaged-backup.ts'
import { DATABASE, SECRETS_KEY } from './files.ts'
import type { Manifest } from './manifest.ts'
import { openBackup } from './open.ts'
import { type DatabaseFacts, endAllSessions, raiseIds, readDatabase } from './store.ts'
import { inWorkingFolder } from './working-folder.ts'

type Source = { path: string; passphrase: string | undefined }
export type Restored = { manifest: Manifest; database: DatabaseFacts }

/** Unpacks a backup beside the data directory, and moves it into place once everything was verified. */
export async function restoreBackup(source: Source, { dataDir, database }: Pick<Config, 'dataDir' | 'database'>): Promise<Restored> {
  await refuseUsed(dataDir)
  const staging = `${dataDir}.restoring`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true, mode: 0o700 })
  try {
    const restored = await unpack(source, staging, () => true)
    endAllSessions(join(staging, DATABASE))
    raiseIds(join(staging, DATABASE), { madeAt: new Date(restored.manifest.createdAt), now: new Date() })
    secretFile(join(staging, 'session.key'), { mayCreate: true })
    const takePlace = async () => {
      if (existsSync(dataDir)) await rmdir(dataDir)
      await rename(staging, dataDir)
    }
    if (database.kind === 'sqlite') await takePlace()
    else await intoPostgres(database.url, staging, takePlace)
    return restored
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** The copy is an unfinished one until the data directory that belongs to it is in its place. */
async function intoPostgres(url: string, staging: string, takePlace: () => Promise<void>): Promise<void> {
  const path = join(staging, DATABASE)
  await withDatabaseAlone(url, async (client) => {
    await withSqliteSource(path, async (file, instance) => {
      await copyIntoPostgres(file, client, { now: () => new Date() })
      await rememberPostgres(staging, instance)
    })
    for (const part of ['', '-wal', '-shm']) await rm(`${path}${part}`, { force: true })
    await takePlace()
    await finishCopy(client)
  })
}

/** Verifies a whole backup and returns a summary of its contents. Only its database is unpacked, into a temporary folder. */
export async function verifyBackup(source: Source, directory: string): Promise<Restored> {
  return await inWorkingFolder(directory, async (folder) => await unpack(source, folder, (path) => path === DATABASE))
}

async function unpack({ path, passphrase }: Source, staging: string, isWanted: (path: string) => boolean): Promise<Restored> {
  let hasKey = false
  const manifest = await openBackup(path, passphrase, (file) => {
    hasKey ||= file.path === SECRETS_KEY
    return isWanted(file.path) ? written(file, join(staging, file.path)) : file.contents
  })
  if (!hasKey) throw new DamagedBackup('it has no key for the secrets in its database')
  const database = readDatabase(join(staging, DATABASE))
  const newest = migrations.at(-1)?.version ?? 0
  if (database.schemaVersion > newest)
    throw new StartRefused(`The backup was made by Berth ${manifest.version}, which is newer than this one; restore it with that version.`)
  return { manifest, database }
}

async function* written({ contents }: ArchivedFile, target: string): AsyncGenerator<Buffer> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const file = await open(target, 'wx', 0o600)
  try {
    for await (const chunk of contents) {
      await file.appendFile(chunk)
      yield chunk
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

async function refuseUsed(dataDir: string): Promise<void> {
  const found = existsSync(dataDir) ? await readdir(dataDir) : []
  if (found.length > 0)
    throw new StartRefused(`The data directory ${dataDir} is not empty; move it away, or set BERTH_DATA_DIR to an empty one.`)
}
