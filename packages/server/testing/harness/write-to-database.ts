import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { databasePath } from '../../src/store/sqlite/open.ts'

const PATIENCE_MS = 20_000

/**
 * Writes into the database of a running server. One that runs in the same process must get the time to end a transaction of
 * its own, so a locked file is tried again instead of waited for.
 */
export async function writeToDatabase<Result>(dataDir: string, write: (file: Database) => Result): Promise<Result> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    const file = new BetterSqlite(databasePath(dataDir), { timeout: 0 })
    try {
      return write(file)
    } catch (cause) {
      const isLocked = cause instanceof BetterSqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY')
      if (!isLocked || performance.now() > giveUpAt) throw cause
    } finally {
      file.close()
    }
    await sleep(5)
  }
}
