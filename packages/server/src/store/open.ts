import { existsSync } from 'node:fs'
import { postgresInstance, refusePostgresHere, refuseSqliteHere, rememberPostgres } from './data-directory-owner.ts'
import type { Database, Db } from './database.ts'
import { deleteFact, readFact } from './facts.ts'
import { instanceId } from './instance-id.ts'
import type { NodeIdentity } from './presence.ts'
import { databasePath, lockDirectory, openSqlite } from './sqlite/open.ts'
import { UNFINISHED_COPY } from './transfer/copy-facts.ts'

export type DatabaseConfig = { readonly kind: 'sqlite' } | { readonly kind: 'postgres'; readonly url: string }

type Place = { readonly dataDir: string; readonly database: DatabaseConfig }
type Options = {
  now: () => Date
  onCommit: () => void
  /** Called when the database can be written again. */
  onRoom?: () => void
  /** May refuse once nobody else has the data directory, before anything is opened. */
  whenLocked?: () => Promise<void>
  /** Somebody has made a copy to go back to, so none is made before a migration. */
  isCopied?: boolean
  /** One of several processes on a PostgreSQL database. */
  node?: NodeIdentity | undefined
  /** Another of them may have changed something. */
  onForeignCommit?: () => void
}

/** The library is only loaded by those who use it. */
async function loadPostgres() {
  return { ...(await import('./postgres/open.ts')), ...(await import('./transfer/copy-state.ts')) }
}

/** The data directory belongs to this database, so a copy that made it is finished. */
async function finishCopy({ db }: { db: Db }): Promise<void> {
  if ((await readFact(db, UNFINISHED_COPY)) === undefined) return
  await db.transaction(async (tx) => await deleteFact(tx, UNFINISHED_COPY), { mayUseReserve: true })
}

/** Opens the database, brings it up to date and keeps every other Berth away from it and from the data directory. */
export async function openDatabase({ dataDir, database: where }: Place, options: Options): Promise<Database> {
  if (where.kind === 'postgres') return await openOnServer({ dataDir, url: where.url }, options)
  const whenLocked = async () => {
    refuseSqliteHere(dataDir)
    await options.whenLocked?.()
  }
  const database = await openSqlite({ ...options, dataDir, whenLocked })
  await finishCopy(database)
  return database
}

async function openOnServer({ dataDir, url }: { dataDir: string; url: string }, options: Options): Promise<Database> {
  const lock = lockDirectory(dataDir)
  let database: Database | undefined
  try {
    await options.whenLocked?.()
    const { now, onCommit, onRoom, node, onForeignCommit } = options
    const { openPostgres, usableInstance } = await loadPostgres()
    refusePostgresHere(dataDir, await usableInstance(url, postgresInstance(dataDir))) // before the migrations, which could not be undone
    const opened = await openPostgres({ url, now, onCommit, node, onForeignCommit, ...(onRoom && { onBack: onRoom }) })
    database = opened
    await rememberPostgres(dataDir, await instanceId(opened.db))
    await finishCopy(opened)
    const close = async () => {
      await opened.close()
      lock.close()
    }
    return { ...opened, close }
  } catch (cause) {
    await database?.close()
    lock.close()
    throw cause
  }
}

/** Whether a Berth has used the database before. */
export async function hasData({ dataDir, database: where }: Place): Promise<boolean> {
  return where.kind === 'sqlite'
    ? existsSync(databasePath(dataDir))
    : (await (await loadPostgres()).usableInstance(where.url, postgresInstance(dataDir))) !== undefined
}
