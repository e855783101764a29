import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Client } from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import { syncDirectory } from '../../lib/write-durably.ts'
import { forgetPostgres, postgresInstance, refusePostgresHere } from '../../store/data-directory-owner.ts'
import { withDatabaseAlone } from '../../store/postgres/alone.ts'
import { databasePath } from '../../store/sqlite/open.ts'
import { readCopyState } from '../../store/transfer/copy-state.ts'
import type { CopiedTable } from '../../store/transfer/copy-tables.ts'
import { copyOutOfPostgres, markMoved } from '../../store/transfer/out-of-postgres.ts'
import { isUnfinishedCopy, markUnfinished } from '../../store/transfer/sqlite-file.ts'
import type { Move } from './move.ts'

/**
 * Copies into a temporary file, which gets the name of the database when it is complete, but is marked as unfinished. Until PostgreSQL is
 * marked as moved, PostgreSQL is still the database. After that only the last step is left; if that was all, no tables are returned.
 */
export async function moveToSqlite(move: Move): Promise<readonly CopiedTable[]> {
  const { dataDir, url, step } = move
  const owner = postgresInstance(dataDir)
  if (owner === undefined) throw new StartRefused(`The data directory ${dataDir} does not belong to a PostgreSQL database.`)
  return await withDatabaseAlone(url, async (client) => {
    const { instance, movedAt } = await readCopyState(client)
    refusePostgresHere(dataDir, instance)
    if (movedAt !== undefined && !isUnfinishedCopy(databasePath(dataDir)))
      throw new StartRefused(`The data in the database of BERTH_DATABASE_URL was moved to SQLite at ${movedAt}, but not into ${dataDir}.`)
    const copied = movedAt === undefined ? await copy(client, move) : []
    await step('owner', async () => await forgetPostgres(dataDir))
    return copied
  })
}

async function copy(client: Client, { dataDir, step, now }: Move): Promise<readonly CopiedTable[]> {
  const path = databasePath(dataDir)
  if (existsSync(path) && !isUnfinishedCopy(path))
    throw new StartRefused(`The data directory ${dataDir} has a SQLite database already. Move berth.sqlite away first.`)
  const unfinished = `${path}.copying`
  for (const part of ['', '-wal', '-shm', '-journal']) await rm(`${unfinished}${part}`, { force: true })
  const copied = await step('copy', async () => await copyOutOfPostgres(client, unfinished, { now }))
  markUnfinished(unfinished, now())
  await step('name', async () => {
    await rename(unfinished, path)
    await syncDirectory(dataDir)
  })
  await step('moved', async () => await markMoved(client, now()))
  return copied
}
