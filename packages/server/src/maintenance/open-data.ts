import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { StartRefused } from '../lib/start-refused.ts'
import type { Database } from '../store/database.ts'
import { openDatabase } from '../store/open.ts'
import { isWithSupervisor } from '../supervisor/update-record.ts'
import { createUpdateRecords } from '../supervisor/update-records.ts'

/** If the update has to go back, so does the database, and a change that was made since would be lost. */
export async function refuseDuringUpdate(dataDir: string): Promise<void> {
  const newest = await createUpdateRecords(join(dataDir, 'updates'), () => new Date()).newest()
  if (newest && isWithSupervisor(newest))
    throw new StartRefused(`An update to Berth ${newest.to} has not ended. Start Berth, wait until it has, and try again.`)
}

/** The database to write to. It is locked while Berth runs, because a running server would not notice the change. */
export async function openData(config: Pick<Config, 'dataDir' | 'database'>): Promise<Database> {
  const { dataDir } = config
  if (!existsSync(dataDir)) throw new StartRefused(`There is no Berth in ${dataDir}. Set BERTH_DATA_DIR to its data directory.`)
  const whenLocked = async () => await refuseDuringUpdate(dataDir)
  return await openDatabase(config, { now: () => new Date(), onCommit: () => undefined, whenLocked })
}
