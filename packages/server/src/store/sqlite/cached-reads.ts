import type { Database as SqliteFile, Statement } from 'better-sqlite3'
import type { Db } from '../database.ts'

/** How often we check for commits of other processes, such as an admin using the sqlite3 shell. */
const FOREIGN_LOOK_MS = 100
/** Entries per query: enough for everybody using the dashboard at the moment, and a few megabytes at most. */
const KEPT_ANSWERS = 20
const MOST_KEPT_ROWS = 500
const MOST_KEPT_CHARACTERS = 500_000
const KEPT_QUERIES = 500

type Known = { statement: Statement<unknown[], unknown>; answers: Map<unknown, readonly unknown[]>; version: number }

/** Identifies the state of the database that a read would see. Changes immediately with our own commits. */
function createVersion(file: SqliteFile, commits: () => number): () => number {
  const foreign = file.prepare<[], number>('pragma data_version').pluck()
  let lookedAt = 0
  let seen: number | undefined
  let commitsSeen = -1
  let version = 0
  return () => {
    const now = performance.now()
    if (commits() === commitsSeen && now - lookedAt < FOREIGN_LOOK_MS) return version
    const found = foreign.get()
    if (found !== seen || commits() !== commitsSeen) version += 1
    seen = found
    commitsSeen = commits()
    lookedAt = now
    return version
  }
}

function isSmall(rows: readonly unknown[]): boolean {
  if (rows.length > MOST_KEPT_ROWS) return false
  let characters = 0
  for (const row of rows) for (const value of Object.values(row ?? {})) characters += typeof value === 'string' ? value.length : 0
  return characters <= MOST_KEPT_CHARACTERS
}

/** Keeps the rows of a query until something is committed. Without it, the dashboard's list of 50 apps takes more than twice the time. */
export function createCachedReads(file: SqliteFile, commits: () => number): Db['cachedRead'] {
  const versionNow = createVersion(file, commits)
  const queries = new Map<string, Known>()

  function knownOf(sql: string): Known {
    let known = queries.get(sql)
    if (known === undefined) {
      known = { statement: file.prepare<unknown[], unknown>(sql), answers: new Map(), version: 0 }
      if (queries.size >= KEPT_QUERIES) queries.clear()
      queries.set(sql, known)
    }
    return known
  }

  function read(known: Known, key: string | number): readonly unknown[] {
    const version = versionNow()
    if (known.version !== version) {
      known.answers.clear()
      known.version = version
    }
    const kept = known.answers.get(key)
    if (kept) return kept
    const rows = known.statement.all(key)
    if (isSmall(rows) && known.answers.size < KEPT_ANSWERS) known.answers.set(key, rows)
    return rows
  }

  return async <Row>({ sql }: { sql: string }, key: string | number) => read(knownOf(sql), key) as readonly Row[] // Kysely typed the query when it was built
}
