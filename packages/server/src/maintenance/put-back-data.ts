import { resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { StartRefused } from '../lib/start-refused.ts'
import { postgresInstance, refusePostgresHere } from '../store/data-directory-owner.ts'
import { withDatabaseAlone } from '../store/postgres/alone.ts'
import { databasePath } from '../store/sqlite/open.ts'
import { readCopyState } from '../store/transfer/copy-state.ts'
import { copyIntoPostgres } from '../store/transfer/into-postgres.ts'
import { withSqliteSource } from '../store/transfer/sqlite-file.ts'
import { type Command, UsageError } from './command.ts'

/** For the supervisor, which cannot talk to PostgreSQL itself. In one transaction: interrupted, nothing has changed. */
export const putBackDataCommand: Command = {
  about:
    'On PostgreSQL: replaces everything in the database by a copy that copy-data made of it. An update that returns does this. Berth must be stopped.',
  takes: ['directory'],
  async run({ positionals: [given = ''] }) {
    const { dataDir, database } = readConfig()
    if (database.kind !== 'postgres') throw new UsageError('put-back-data is for PostgreSQL, and BERTH_DATABASE_URL is not set.')
    await withSqliteSource(databasePath(resolve(given)), async (file, instance) => {
      if (instance !== postgresInstance(dataDir)) throw new StartRefused(`The copy in ${given} is not of the Berth in ${dataDir}.`)
      await withDatabaseAlone(database.url, async (client) => {
        refusePostgresHere(dataDir, (await readCopyState(client)).instance)
        await copyIntoPostgres(file, client, { now: () => new Date(), replaces: true })
      })
    })
    return 0
  },
}
