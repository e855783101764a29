import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createNudge } from '../../src/events/nudge.ts'
import { openDatabase } from '../../src/store/open.ts'
import { ownPostgres } from './own-postgres.ts'

/** A separate migrated database, for tests of stores and of the code that uses them. */
export async function openTestDatabase(options: { now?: () => Date } = {}) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'berth-database-'))
  const nudge = createNudge()
  const postgres = await ownPostgres()
  const where = postgres ? ({ kind: 'postgres', url: postgres.url } as const) : ({ kind: 'sqlite' } as const)
  const opening = { now: options.now ?? (() => new Date()), onCommit: nudge.nudge }
  const database = await openDatabase({ dataDir, database: where }, opening)
  return {
    db: database.db,
    nudge,
    async [Symbol.asyncDispose](): Promise<void> {
      await database.close()
      await postgres?.drop()
      await rm(dataDir, { recursive: true })
    },
  }
}
