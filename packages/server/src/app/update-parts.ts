import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Health } from '@berth/contract'
import { createFeed } from '../features/updates/feed.ts'
import { createRehearse } from '../features/updates/rehearse.ts'
import { RELEASE_KEYS } from '../features/updates/release-keys.ts'
import { createRunUpdate, type RunDeps, rehearsalOf } from '../features/updates/run-update.ts'
import { createUpdates, type Installed } from '../features/updates/service.ts'
import { databaseBytes } from '../features/updates/store.ts'
import { removeRelease } from '../features/updates/unpack.ts'
import { VERSION } from '../lib/version.ts'
import { hasLeases } from '../queue/queue-store.ts'
import { compileCacheOf, createLayout } from '../supervisor/layout.ts'
import { createUpdateRecords, type UpdateRecords } from '../supervisor/update-records.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'
import type { WorkParts } from './work-parts.ts'

/** The process around the server. Without a supervisor there is none, and Berth cannot update itself. */
export type Supervised = Pick<Installed, 'leave' | 'goBack'> & Pick<RunDeps, 'loadNext' | 'forgetNext'>
type RunCommand = (args: readonly string[], signal: AbortSignal) => Promise<{ isOk: boolean; output: string }>
type Parts = {
  base: Foundation
  engineParts: EngineParts
  supervised: Supervised | undefined
  work: Pick<WorkParts, 'worker'>
  runCommand: RunCommand
  health: () => Promise<Health>
}

/** New versions of Berth itself. */
export function createUpdateParts(parts: Parts) {
  const { config, db, log, now, settings, tuning } = parts.base
  const records = createUpdateRecords(join(config.dataDir, 'updates'), now)
  const { ca } = parts.engineParts.authorities
  const platform = `${process.platform}-${process.arch}`
  const feed = createFeed({
    version: VERSION,
    platform,
    settings,
    given: config.updates,
    keys: RELEASE_KEYS,
    ca,
    freshMs: tuning.updateFreshMs,
    now,
  })
  const whyNot = config.nodeName === undefined ? undefined : SEVERAL
  return createUpdates({ db, version: VERSION, feed, records, installed: installed(parts, records), whyNot, settings, log, now })
}

const SEVERAL = 'Several Berths on one database cannot update themselves. Stop all of them, then start the new version of each.'

function installed({ base, engineParts, supervised, work, runCommand, health }: Parts, records: UpdateRecords): Installed | undefined {
  const { config, db, step, tuning } = base
  const { path, dataDir } = config
  if (config.updates.root === undefined || !supervised || config.nodeName !== undefined) return undefined
  const layout = createLayout(config.updates.root)
  const copyData = async (directory: string, signal: AbortSignal) => {
    const { isOk, output } = await runCommand(['copy-data', directory], signal)
    if (!isOk) throw new Error(`The database could not be copied: ${output}`)
  }
  const cleanUp = async (version: string) => {
    await rm(rehearsalOf(records), { recursive: true, force: true })
    await removeRelease(layout, version)
    await rm(compileCacheOf(dataDir, version), { recursive: true, force: true })
  }
  const run = createRunUpdate({
    dataDir,
    databaseBytes: async () => await databaseBytes(db, config),
    layout,
    records,
    rehearse: createRehearse({ copyData, path, cacheOf: (version) => compileCacheOf(dataDir, version), startMs: tuning.updateStartMs }),
    loadNext: supervised.loadNext,
    forgetNext: supervised.forgetNext,
    engineVersion: async (signal) => (await engineParts.engine.facts(signal)).version,
    jobs: { hold: work.worker.hold, areRunning: async (kind) => await hasLeases(db, { onlyLong: kind === 'long' }) },
    cleanUp,
    goodChecks: async () => Object.entries((await health()).checks).flatMap(([name, state]) => (state === 'ok' ? [name] : [])),
    ca: engineParts.authorities.ca,
    path,
    step,
    tuning,
  })
  return { run, cleanUp, leave: supervised.leave, goBack: supervised.goBack }
}
