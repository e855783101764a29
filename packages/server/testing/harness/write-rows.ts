import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import pg from 'pg'
import { errorCode } from '../../src/lib/error-code.ts'
import type { Tx } from '../../src/store/database.ts'
import { connectionOptions } from '../../src/store/postgres/connection.ts'
import * as postgres from '../../src/store/postgres/driver.ts'
import type { Schema } from '../../src/store/schema.ts'
import * as sqlite from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/open.ts'

const PATIENCE_MS = 20_000
const nobody = { answered: () => undefined, lost: () => undefined }

type Server = { readonly dataDir: string; readonly env: Readonly<Record<string, string>> }

/**
 * Writes into the database of a running server, on either database. One that runs in the same process must get the time to end a
 * transaction of its own, so a locked file is tried again instead of waited for.
 */
export async function writeRows<Result>({ dataDir, env }: Server, write: (tx: Tx) => Promise<Result>): Promise<Result> {
  const url = env['BERTH_DATABASE_URL']
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    const db = new Kysely<Schema>({ dialect: url === undefined ? ofFile(dataDir) : await ofServer(url) })
    try {
      return await db.transaction().execute(write)
    } catch (cause) {
      if (!errorCode(cause)?.startsWith('SQLITE_BUSY') || performance.now() > giveUpAt) throw cause
    } finally {
      await db.destroy()
    }
    await sleep(5)
  }
}

function ofFile(dataDir: string) {
  const file = new BetterSqlite(databasePath(dataDir), { timeout: 0 })
  file.pragma('foreign_keys = ON')
  return sqlite.writerDialect(file)
}

async function ofServer(url: string) {
  const client = new pg.Client(connectionOptions(url))
  await client.connect()
  return postgres.writerDialect({ take: async () => client, discard: () => void client.end() }, nobody)
}
