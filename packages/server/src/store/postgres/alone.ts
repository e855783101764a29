import type pg from 'pg'
import { checkServer, refusal, withConnection } from './open.ts'
import { createWriterConnection } from './writer-connection.ts'

/** A Berth that was stopped a moment ago is gone by then. */
const LOCK_WAIT_MS = 3000

/** Runs while no Berth uses the database, and keeps every Berth away from it meanwhile. */
export async function withDatabaseAlone<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const holder = createWriterConnection(url, { waitMs: LOCK_WAIT_MS })
  try {
    await withConnection(url, checkServer)
    await holder.take()
    return await withConnection(url, work)
  } catch (cause) {
    throw refusal(cause)
  } finally {
    holder.discard()
  }
}
