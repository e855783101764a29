import { existsSync } from 'node:fs'
import { refusePostgresHere, refuseSqliteHere, rememberPostgres } from './data-directory-owner.ts'
import type { Database } from './database.ts'
import { instanceId } from './instance-id.ts'
import type { NodeIdentity } from './presence.ts'
import { databasePath, lockDirectory, openSqlite } from './sqlite/open.ts'

export type DatabaseConfig = { readonly kind: 'sqlite' } | { readonly kind: 'postgres'; readonly url: string }

type Place = { readonly dataDir: string; readonly database: DatabaseConfig }
type Options = {
  now: () => Date
  onCommit: () => void
  /** Called when the database can be written again. */
  onRoom?: () => void
  /** May refuse once nobody else has the data directory, before anything is opened. */
  whenLocked?: () => Promise<void>
  /** One of several processes on a PostgreSQL database. */
  node?: NodeIdentity | undefined
}

/** The library is only loaded by those who use it. */
async function loadPostgres() {
  return await import('./postgres/open.ts')
}

/** Opens the database, brings it up to date and keeps every other Berth away from it and from the data directory. */
export async function openDatabase({ dataDir, database: where }: Place, options: Options): Promise<Database> {
  if (where.kind === 'postgres') return await openOnServer({ dataDir, url: where.url }, options)
  const whenLocked = async () => {
    refuseSqliteHere(dataDir)
    await options.whenLocked?.()
  }
  return await openSqlite({ ...options, dataDir, whenLocked })
}

async function openOnServer({ dataDir, url }: { dataDir: string; url: string }, options: Options): Promise<Database> {
  const lock = lockDirectory(dataDir)
  let database: Database | undefined
  try {
    await options.whenLocked?.()
    const { now, onCommit, onRoom, node } = options
    const { openPostgres, postgresInstanceId } = await loadPostgres()
    refusePostgresHere(dataDir, await postgresInstanceId(url)) // before the migrations, which could not be undone
    const opened = await openPostgres({ url, now, onCommit, node, ...(onRoom && { onBack: onRoom }) })
    database = opened
    await rememberPostgres(dataDir, await instanceId(opened.db))
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
    : (await (await loadPostgres()).postgresInstanceId(where.url)) !== undefined
}
