import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { runProcess } from '../lib/child-process.ts'
import { syncDirectory } from '../lib/write-durably.ts'
import type { Layout } from './layout.ts'
import { restoreSnapshot, takeSnapshot } from './snapshot.ts'
import type { UpdateRecord } from './update-record.ts'

/** The data from before an update, in a directory of its own. */
export type DataCopies = {
  isNeeded: (update: UpdateRecord) => boolean
  /** It has its name only once it is whole. */
  take: (update: UpdateRecord, directory: string) => Promise<void>
  /** Can be repeated. */
  putBack: (update: UpdateRecord, directory: string) => Promise<void>
}

type Deps = { dataDir: string; database: 'sqlite' | 'postgres'; layout: Layout; stopping: AbortSignal }

export function createDataCopies({ dataDir, database, layout, stopping }: Deps): DataCopies {
  return database === 'postgres' ? postgresCopies(layout, stopping) : fileCopies(dataDir)
}

function fileCopies(dataDir: string): DataCopies {
  return {
    isNeeded: () => true,
    take: async (_update, directory) => await takeSnapshot(dataDir, directory),
    putBack: async (_update, directory) => await restoreSnapshot(dataDir, directory),
  }
}

/**
 * By commands of the version from before, because the supervisor has no packages. A copy takes longer than one of a file, so there is none
 * if nothing would ever go back to it.
 */
function postgresCopies(layout: Layout, signal: AbortSignal): DataCopies {
  async function run({ from }: UpdateRecord, args: readonly string[]): Promise<void> {
    let output = ''
    const onOutput = (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-1000))
    const code = await runProcess(layout.program(from), args, { onOutput, signal, endWith: 'SIGKILL' })
    if (code !== 0) throw new Error(output.trim() || `${args[0]} ended with exit code ${code}`)
  }

  return {
    isNeeded: ({ keepsData }) => !keepsData,
    async take(update, directory) {
      const unfinished = `${directory}.unfinished`
      for (const left of [unfinished, directory]) await rm(left, { recursive: true, force: true })
      await run(update, ['copy-data', unfinished])
      await syncDirectory(unfinished)
      await rename(unfinished, directory)
      await syncDirectory(dirname(directory))
    },
    putBack: async (update, directory) => await run(update, ['put-back-data', directory]),
  }
}
