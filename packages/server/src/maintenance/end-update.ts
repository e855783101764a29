import { join } from 'node:path'
import { readConfig } from '../config.ts'
import { createStep } from '../lib/step.ts'
import { VERSION } from '../lib/version.ts'
import { lockDirectory } from '../store/sqlite/open.ts'
import { createCarryOut } from '../supervisor/carry-out.ts'
import { createDataCopies } from '../supervisor/data-copies.ts'
import { createLayout } from '../supervisor/layout.ts'
import { isUnderWay, type UpdateRecord } from '../supervisor/update-record.ts'
import { createUpdateRecords } from '../supervisor/update-records.ts'
import { type Command, UsageError } from './command.ts'

const REASON = 'It was interrupted, and the installer ended it.'
const LOCK_WITHIN_MS = 30_000

/** Until it is watched, the new version has not seen the database. */
function hasChangedData({ phase, keepsData }: UpdateRecord): boolean {
  return !keepsData && (phase === 'watching' || phase === 'returning')
}

/** For the installer: a release that does not start cannot end its own update. */
export const endUpdateCommand: Command = {
  about: 'Ends an update that was interrupted: goes back to the version before it, and to its database. Berth must be stopped.',
  takes: [],
  async run(_input, { print }) {
    const { dataDir, database, updates } = readConfig()
    if (updates.root === undefined) throw new UsageError('This Berth runs from a checkout, which has no updates to end.')
    const records = createUpdateRecords(join(dataDir, 'updates'), () => new Date())
    const newest = await records.newest()
    if (!newest || !isUnderWay(newest)) {
      print('There is no update to end.')
      return 0
    }
    lockDirectory(dataDir).close() // refuses while Berth runs
    const layout = createLayout(updates.root)
    const copies = createDataCopies({ dataDir, database: database.kind, layout, stopping: new AbortController().signal })
    const stopping = AbortSignal.timeout(LOCK_WITHIN_MS)
    const carryOut = createCarryOut({ dataDir, copies, layout, records, step: createStep(undefined), stopping, kept: VERSION })
    const update: UpdateRecord = { ...newest, keepsData: !hasChangedData(newest), phase: 'returning', error: REASON }
    await carryOut.giveUp(update, REASON)
    await carryOut.goBack(update)
    print(`The update to Berth ${update.to} was ended; Berth ${update.from} is the current version.`)
    return 0
  },
}
