import { StartRefused } from '../../lib/start-refused.ts'
import type { Migration } from './index.ts'

/** The migrations that a database of this version lacks. One of a newer Berth is refused. */
export function missingMigrations(migrations: readonly Migration[], current: number): Migration[] {
  const newest = migrations.at(-1)?.version ?? 0
  if (current > newest) {
    throw new StartRefused(
      `The database has version ${current}, but this Berth only supports versions up to ${newest}. Start the newer Berth, or restore the backup made before its update.`,
    )
  }
  return migrations.filter((migration) => migration.version > current)
}
