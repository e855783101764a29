import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reader } from '../store/database.ts'
import { numberedFiles } from './numbered-files.ts'
import { deploymentIds } from './store.ts'

/** Removes the logs of deployments whose rows are gone. Every node does this, because each has its own files. */
export function createSweepLogs({ db, dataDir }: { db: Reader; dataDir: string }) {
  const directory = join(dataDir, 'logs')

  return async function sweepLogs(): Promise<void> {
    const logs = await numberedFiles(directory, /^d(\d+)(?:-container)?\.log$/) // before the rows are read: a log is created after its row
    if (logs.length === 0) return
    const known = await deploymentIds(db)
    for (const { name, id } of logs) if (!known.has(id)) await rm(join(directory, name), { force: true })
  }
}
