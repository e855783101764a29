import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reader } from '../store/database.ts'
import { numberedFiles } from './numbered-files.ts'
import { deploymentIds } from './store.ts'

/** Removes the logs of deployments that have no row any more. Of several nodes each has files of its own, so each does this. */
export function createSweepLogs({ db, dataDir }: { db: Reader; dataDir: string }) {
  const directory = join(dataDir, 'logs')

  return async function sweepLogs(): Promise<void> {
    const logs = await numberedFiles(directory, /^d(\d+)(?:-container)?\.log$/) // before the rows: a log begins after its row
    if (logs.length === 0) return
    const known = await deploymentIds(db)
    for (const { name, id } of logs) if (!known.has(id)) await rm(join(directory, name), { force: true })
  }
}
