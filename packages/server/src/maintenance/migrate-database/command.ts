import { existsSync } from 'node:fs'
import { readConfig } from '../../config.ts'
import { StartRefused } from '../../lib/start-refused.ts'
import { createStep } from '../../lib/step.ts'
import { lockDirectory } from '../../store/sqlite/open.ts'
import { type CopiedTable, CopyFailed } from '../../store/transfer/copy-tables.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { refuseDuringUpdate } from '../open-data.ts'
import type { Move } from './move.ts'
import { moveToPostgres } from './to-postgres.ts'
import { moveToSqlite } from './to-sqlite.ts'

const MOVES: Readonly<Record<string, (move: Move) => Promise<readonly CopiedTable[]>>> = { postgres: moveToPostgres, sqlite: moveToSqlite }

/** Shows what was compared: the rows of each table, and the beginning of the checksum that both databases have. */
function report(copied: readonly CopiedTable[], print: Terminal['print']): void {
  const width = Math.max(...copied.map(({ table }) => table.length))
  for (const { table, rows, checksum } of copied)
    print(`${table.padEnd(width)}  ${String(rows).padStart(8)} rows  ${checksum.slice(0, 16)}`)
}

export const migrateDatabaseCommand: Command = {
  about:
    'Moves the data of this Berth from SQLite to the empty PostgreSQL database of BERTH_DATABASE_URL (postgres), or back from there (sqlite), and compares every table. Berth must be stopped. Run it again if it was interrupted.',
  takes: ['postgres|sqlite'],
  async run({ positionals: [to = ''] }, { print }) {
    const move = Object.hasOwn(MOVES, to) ? MOVES[to] : undefined
    if (!move) throw new UsageError(`Unknown target "${to}": use postgres or sqlite.`)
    const { dataDir, database, fault } = readConfig()
    if (database.kind === 'sqlite')
      throw new UsageError('Set BERTH_DATABASE_URL to the PostgreSQL database, such as postgres://berth:password@db.example.com/berth.')
    if (!existsSync(dataDir)) throw new StartRefused(`There is no Berth in ${dataDir}. Set BERTH_DATA_DIR to its data directory.`)
    const lock = lockDirectory(dataDir)
    try {
      await refuseDuringUpdate(dataDir)
      const copied = await move({ dataDir, url: database.url, step: createStep(fault), now: () => new Date() })
      if (copied.length > 0) report(copied, print)
      else print('It had been copied already. The interrupted move is finished now.')
    } catch (cause) {
      throw cause instanceof CopyFailed ? new StartRefused(`Nothing was moved: ${cause.message}.`, { cause }) : cause
    } finally {
      lock.close()
    }
    print(
      to === 'postgres'
        ? `Berth is on PostgreSQL now: start it with BERTH_DATABASE_URL set. The SQLite database is kept in ${dataDir}/backups.`
        : 'Berth is on SQLite now: start it without BERTH_DATABASE_URL. The PostgreSQL database is not used any more, and can be dropped.',
    )
    return 0
  },
}
