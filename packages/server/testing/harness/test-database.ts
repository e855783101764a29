import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createNudge } from '../../src/events/nudge.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'

/** A separate migrated database, for tests of stores and of the code that uses them. */
export async function openTestDatabase(options: { now?: () => Date } = {}) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'berth-database-'))
  const nudge = createNudge()
  const database = await openSqlite({ dataDir, now: options.now ?? (() => new Date()), onCommit: nudge.nudge })
  return {
    db: database.db,
    nudge,
    async [Symbol.asyncDispose](): Promise<void> {
      await database.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
