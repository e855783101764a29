import type { Config } from '../config.ts'
import { StartRefused } from '../lib/start-refused.ts'

/** For commands that work on the file of SQLite. */
export function refuseOnPostgres({ database }: Pick<Config, 'database'>, instead: string): void {
  if (database.kind === 'postgres') throw new StartRefused(`This command is for SQLite, and Berth uses PostgreSQL here. ${instead}`)
}
