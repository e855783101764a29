import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import { syncDirectory } from '../../lib/write-durably.ts'
import { postgresInstance, rememberPostgres } from '../../store/data-directory-owner.ts'
import { withDatabaseAlone } from '../../store/postgres/alone.ts'
import { databasePath } from '../../store/sqlite/open.ts'
import { readCopyState } from '../../store/transfer/copy-state.ts'
import type { CopiedTable } from '../../store/transfer/copy-tables.ts'
import { copyIntoPostgres, finishCopy } from '../../store/transfer/into-postgres.ts'
import { withSqliteSource } from '../../store/transfer/sqlite-file.ts'
import type { Move } from './move.ts'

/**
 * The copy appears in one transaction, as an unfinished one. Until the data directory belongs to PostgreSQL, SQLite is the database; from
 * then on it is PostgreSQL. No tables are given if all that was missing was the end.
 */
export async function moveToPostgres(move: Move): Promise<readonly CopiedTable[]> {
  const { dataDir, url, step, now } = move
  const owner = postgresInstance(dataDir)
  const path = databasePath(dataDir)
  if (owner === undefined && !existsSync(path)) throw new StartRefused(`There is no SQLite database in ${dataDir} to move.`)
  return await withDatabaseAlone(url, async (client) => {
    if (owner !== undefined) {
      await refuseMoved(client, owner, dataDir)
      await finish(client, move)
      return []
    }
    const { copied, instance } = await withSqliteSource(path, async (file, id) => ({
      copied: await step('copy', async () => await copyIntoPostgres(file, client, { now })),
      instance: id,
    }))
    await step('owner', async () => await rememberPostgres(dataDir, instance))
    await finish(client, move)
    return copied
  })
}

/** Only a move that was interrupted after the directory got its new owner has anything left to do. */
async function refuseMoved(client: Client, owner: string, dataDir: string): Promise<void> {
  const { instance, movedAt } = await readCopyState(client)
  const isInterrupted = existsSync(databasePath(dataDir)) && movedAt === undefined
  if (instance !== owner || !isInterrupted)
    throw new StartRefused(`The data directory ${dataDir} belongs to a PostgreSQL database already.`)
}

async function finish(client: Client, { dataDir, step, now }: Move): Promise<void> {
  await step('finish', async () => await finishCopy(client))
  await step('put away', async () => await putAway(dataDir, now()))
}

/** The old database stays, under a name that Berth does not start from. */
async function putAway(dataDir: string, at: Date): Promise<void> {
  const backups = join(dataDir, 'backups')
  await mkdir(backups, { recursive: true, mode: 0o700 })
  await rename(databasePath(dataDir), join(backups, `before-postgresql-${at.toISOString().replaceAll(':', '')}.sqlite`))
  for (const part of ['-wal', '-shm']) await rm(`${databasePath(dataDir)}${part}`, { force: true }) // empty since it was closed
  for (const directory of [backups, dataDir]) await syncDirectory(directory)
}
