import BetterSqlite from 'better-sqlite3'
import type { DatabaseConfig } from './open.ts'
import { databasePath } from './sqlite/open.ts'

/** The rows of a query that both databases understand. */
export type RawRead = <Row>(sql: string) => Promise<Row[]>

/** Reads beside a server that may be running: nothing is locked or migrated. */
export async function withRawReads<Result>(
  place: { readonly dataDir: string; readonly database: DatabaseConfig },
  work: (read: RawRead) => Promise<Result>,
): Promise<Result> {
  if (place.database.kind === 'postgres') {
    const { withConnection } = await import('./postgres/open.ts')
    return await withConnection(
      place.database.url,
      async (client) => await work(async <Row>(sql: string) => (await client.query(sql)).rows as Row[]), // typed by whoever asks
    )
  }
  const file = new BetterSqlite(databasePath(place.dataDir), { readonly: true, timeout: 5000 })
  try {
    return await work(async <Row>(sql: string) => file.prepare<[], Row>(sql).all())
  } finally {
    file.close()
  }
}
