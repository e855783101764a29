import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../lib/error-code.ts'
import { StartRefused } from '../lib/start-refused.ts'
import { syncDirectory, writeDurably } from '../lib/write-durably.ts'
import { databasePath } from './sqlite/open.ts'

/**
 * A data directory has logs, keys and plans of the apps in one database. With another database Berth would take them for leftovers and
 * delete them. A directory that is used with PostgreSQL therefore has a file with the instance id of its database.
 */

function markerPath(dataDir: string): string {
  return join(dataDir, 'database')
}

/** The instance id of the PostgreSQL database that the data directory belongs to, if it does. */
export function postgresInstance(dataDir: string): string | undefined {
  try {
    return readFileSync(markerPath(dataDir), 'utf8')
      .trim()
      .replace(/^postgres /, '')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw cause
  }
}

export function refuseSqliteHere(dataDir: string): void {
  if (postgresInstance(dataDir) === undefined) return
  throw new StartRefused(
    `The data directory ${dataDir} belongs to a PostgreSQL database. Set BERTH_DATABASE_URL to it, or set BERTH_DATA_DIR to another directory.`,
  )
}

/** `instance` is undefined for a database that no Berth has used yet. */
export function refusePostgresHere(dataDir: string, instance: string | undefined): void {
  const expected = postgresInstance(dataDir)
  if (expected === undefined && existsSync(databasePath(dataDir)))
    throw new StartRefused(
      `The data directory ${dataDir} has a SQLite database, and BERTH_DATABASE_URL is set. Move its data with \`migrate-database postgres\`, unset BERTH_DATABASE_URL to use it, or set BERTH_DATA_DIR to another directory.`,
    )
  if (expected !== undefined && expected !== instance)
    throw new StartRefused(
      `The data directory ${dataDir} belongs to another PostgreSQL database than the one of BERTH_DATABASE_URL. Correct the URL, or set BERTH_DATA_DIR to another directory.`,
    )
}

export async function rememberPostgres(dataDir: string, instance: string): Promise<void> {
  if (postgresInstance(dataDir) !== instance) await writeDurably(markerPath(dataDir), `postgres ${instance}\n`)
}

/** The data directory is used with SQLite from now on. */
export async function forgetPostgres(dataDir: string): Promise<void> {
  rmSync(markerPath(dataDir), { force: true })
  await syncDirectory(dataDir)
}
