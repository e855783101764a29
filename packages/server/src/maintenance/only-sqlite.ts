import type { Config } from '../config.ts'
import { StartRefused } from '../lib/start-refused.ts'
import { refuseSqliteHere } from '../store/data-directory-owner.ts'

/** For commands that work on the file of SQLite, which may still be there although it is not used any more. */
export function refuseOnPostgres({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>, instead: string): void {
  if (database.kind === 'postgres') throw new StartRefused(`This command is for SQLite, and Berth uses PostgreSQL here. ${instead}`)
  refuseSqliteHere(dataDir)
}
