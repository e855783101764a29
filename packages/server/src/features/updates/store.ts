import { stat } from 'node:fs/promises'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import type { Db } from '../../store/database.ts'
import type { DatabaseConfig } from '../../store/open.ts'
import { databasePath } from '../../store/sqlite/open.ts'

/** About the size of a copy of the database. */
export async function databaseBytes(db: Db, { dataDir, database }: { dataDir: string; database: DatabaseConfig }): Promise<number> {
  if (database.kind === 'sqlite') return (await stat(databasePath(dataDir))).size
  const { rows } = await sql<{ n: number }>`select pg_database_size(current_database()) as n`.execute(db)
  return rows[0]?.n ?? 0
}

/** The version of the tables in a database file that no server uses. */
export function schemaVersionOf(path: string): number {
  const file = new BetterSqlite(path, { readonly: true, fileMustExist: true })
  try {
    return file.prepare<[], { version: number | null }>('select max(version) as version from schema_migration').get()?.version ?? 0
  } finally {
    file.close()
  }
}
