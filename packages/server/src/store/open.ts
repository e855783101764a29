import { existsSync } from 'node:fs'
import type { Database } from './database.ts'
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
}

/** The library is only loaded by those who use it. */
async function loadPostgres() {
  return await import('./postgres/open.ts')
}

/** Opens the database, brings it up to date and keeps every other Berth away from it and from the data directory. */
export async function openDatabase({ dataDir, database: where }: Place, options: Options): Promise<Database> {
  if (where.kind === 'sqlite') return await openSqlite({ ...options, dataDir })
  const lock = lockDirectory(dataDir)
  try {
    await options.whenLocked?.()
    const { now, onCommit, onRoom } = options
    const { openPostgres } = await loadPostgres()
    const database = await openPostgres({ url: where.url, now, onCommit, ...(onRoom && { onBack: onRoom }) })
    const close = async () => {
      await database.close()
      lock.close()
    }
    return { ...database, close }
  } catch (cause) {
    lock.close()
    throw cause
  }
}

/** Whether a Berth has used the database before. */
export async function hasData({ dataDir, database: where }: Place): Promise<boolean> {
  return where.kind === 'sqlite' ? existsSync(databasePath(dataDir)) : await (await loadPostgres()).hasPostgresData(where.url)
}
