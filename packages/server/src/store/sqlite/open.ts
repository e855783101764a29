import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import { Kysely } from 'kysely'
import { StartRefused } from '../../lib/start-refused.ts'
import type { Database, StorageState } from '../database.ts'
import { migrations } from '../migrations/index.ts'
import type { Schema } from '../schema.ts'
import { isStorageFailure } from '../storage-failure.ts'
import { createCachedReads } from './cached-reads.ts'
import { createCompiledReads, readerDialect, writerDialect } from './driver.ts'
import { migrate } from './migrate.ts'
import { createReserve, type Reserve } from './reserve.ts'
import { createTransactions } from './transactions.ts'
import { createWriteGate } from './write-gate.ts'

const OWNER_ONLY = 0o600

export function databasePath(dataDir: string): string {
  return join(dataDir, 'berth.sqlite')
}

/** Checks before it writes: a damaged file is refused and left alone. */
function refuseDamaged(path: string): void {
  if (!existsSync(path)) return
  const refusal = `The database ${path} is damaged and was not changed. Restore a backup (see docs/operating.md).`
  if (statSync(path).size === 0) throw new StartRefused(refusal)
  try {
    const file = new BetterSqlite(path, { readonly: true, fileMustExist: true })
    const answer: unknown = file.pragma('quick_check(1)', { simple: true })
    file.close()
    if (answer !== 'ok') throw new StartRefused(refusal)
  } catch (cause) {
    if (cause instanceof StartRefused) throw cause
    if (isStorageFailure(cause)) return // a readable file on a full disk is not damaged
    throw new StartRefused(refusal, { cause })
  }
}

function openFile(path: string): SqliteFile {
  const file = new BetterSqlite(path, { timeout: 5000 })
  file.pragma('journal_mode = WAL')
  file.pragma('synchronous = FULL')
  file.pragma('foreign_keys = ON')
  file.pragma('journal_size_limit = 67108864')
  file.pragma('cache_size = -4000')
  file.pragma('temp_store = MEMORY') // temporary data of a long transaction must not need the disk
  // SQLite would create them world-readable, and a copy of the directory may lose the directory's own mode.
  for (const part of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(part)) chmodSync(part, OWNER_ONLY)
  return file
}

/** Held for the life of the process, and released by the kernel when it dies, so that two servers never share a data directory. */
export function lockDirectory(dataDir: string): SqliteFile {
  const lock = new BetterSqlite(join(dataDir, 'lock.sqlite'), { timeout: 0 })
  try {
    lock.pragma('journal_mode = MEMORY') // nothing is ever written, so a full disk does not matter
    lock.exec('begin exclusive')
  } catch (cause) {
    lock.close()
    throw new StartRefused(
      `Another Berth is using the data directory ${dataDir}. Stop it first, or set BERTH_DATA_DIR to another directory.`,
      {
        cause,
      },
    )
  }
  return lock
}

type Options = {
  dataDir: string
  now: () => Date
  onCommit: () => void
  /** Called when a full disk has space again. */
  onRoom?: () => void
  /** May refuse once nobody else has the directory, before anything is opened. */
  whenLocked?: () => Promise<void>
  /** Somebody has made a copy to go back to, so none is made before a migration. */
  isCopied?: boolean
}

export async function openSqlite(options: Options): Promise<Database> {
  const lock = lockDirectory(options.dataDir)
  const reserve = createReserve(join(options.dataDir, 'reserve'))
  try {
    await options.whenLocked?.()
    return await openLocked(options, { lock, reserve })
  } catch (cause) {
    lock.close()
    throw cause
  } finally {
    if (reserve.isLent()) reserve.takeBack()
  }
}

/** Even reading needs a little space: SQLite creates two files beside the database. */
async function openFiles(options: Options, reserve: Reserve): Promise<{ file: SqliteFile; readerFile: SqliteFile }> {
  const { dataDir, now, isCopied = false } = options
  const path = databasePath(dataDir)
  const backups = join(dataDir, 'backups')
  let file: SqliteFile | undefined
  try {
    file = openFile(path)
    mkdirSync(backups, { recursive: true, mode: 0o700 })
    await migrate(file, { migrations, backupDir: isCopied ? undefined : backups, now })
    const readerFile = new BetterSqlite(path, { readonly: true, timeout: 5000 })
    readerFile.pragma('cache_size = -4000')
    readerFile.pragma('temp_store = MEMORY')
    return { file, readerFile }
  } catch (cause) {
    file?.close()
    if (!isStorageFailure(cause) || reserve.isLent()) throw cause
    reserve.lend()
    return await openFiles(options, reserve)
  }
}

async function openLocked(options: Options, held: { lock: SqliteFile; reserve: Reserve }): Promise<Database> {
  const { lock, reserve } = held
  refuseDamaged(databasePath(options.dataDir))
  const { file, readerFile } = await openFiles(options, reserve)
  if (reserve.isLent()) reserve.takeBack()
  reserve.keep()
  let commits = 0
  const onChange = () => {
    commits += 1
    options.onCommit()
  }
  const writer = new Kysely<Schema>({ dialect: writerDialect(file, { onChange, onEnd: endLoan }) })
  const reader = new Kysely<Schema>({ dialect: readerDialect(readerFile) })
  const gate = createWriteGate({ reserve, onOpen: () => options.onRoom?.() })

  /**
   * Moves what was written with the reserved space from the write-ahead log into the database, so that the log is reused from its
   * beginning.
   */
  function endLoan(): void {
    if (!reserve.isLent()) return
    try {
      file.pragma('wal_checkpoint(PASSIVE)')
    } catch {
      // It stays in the log, which is just as safe.
    }
    reserve.takeBack()
  }

  const findFact = readerFile.prepare('select 1 from fact limit 1')
  function currentState(): StorageState {
    try {
      findFact.get()
      return gate.isOpen() ? 'ok' : 'read_only'
    } catch {
      return 'unusable'
    }
  }

  async function close(): Promise<void> {
    await reader.destroy()
    await writer.destroy()
    for (const handle of [readerFile, file, lock]) handle.close() // Kysely does not close a file that was never queried
  }

  const db = {
    selectFrom: reader.selectFrom.bind(reader),
    executeQuery: createCompiledReads(readerFile),
    cachedRead: createCachedReads(readerFile, () => commits),
    fn: reader.fn,
    getExecutor: reader.getExecutor.bind(reader),
    transaction: createTransactions({ writer, reserve, gate }),
  }
  return { db, state: currentState, keepReserve: reserve.keep, close }
}
