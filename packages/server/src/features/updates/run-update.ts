import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sizeWords } from '@berth/contract'
import type { Step } from '../../lib/step.ts'
import type { Tuning } from '../../lib/tuning.ts'
import { freeBytes } from '../../store/disk-space.ts'
import type { Layout } from '../../supervisor/layout.ts'
import type { Wanted } from '../../supervisor/server-child.ts'
import { type UpdatePhase, type UpdateRecord, wantedBy } from '../../supervisor/update-record.ts'
import type { UpdateRecords } from '../../supervisor/update-records.ts'
import { download } from './download.ts'
import type { createRehearse } from './rehearse.ts'
import type { Archive, Release } from './release-index.ts'
import { unpack } from './unpack.ts'
import { compareVersions } from './versions.ts'

export type RunDeps = {
  dataDir: string
  /** About the size of a copy of the database. */
  databaseBytes: () => Promise<number>
  layout: Layout
  records: UpdateRecords
  rehearse: ReturnType<typeof createRehearse>
  /** Has the new version loaded beside this one, which is away for less time then; it opens nothing until this one has ended. */
  loadNext: (wanted: Wanted, signal: AbortSignal) => Promise<void>
  forgetNext: () => void
  /** What an update that ended left behind. */
  cleanUp: (version: string) => Promise<void>
  /** Empty if the engine does not answer. */
  engineVersion: (signal: AbortSignal) => Promise<string>
  /** Held jobs are not begun; `areRunning` tells of those that hold keeps back. */
  jobs: { hold: (kind: 'none' | 'long' | 'all') => void; areRunning: (kind: 'long' | 'all') => Promise<boolean> }
  /** Checks of /health that are good now. */
  goodChecks: () => Promise<string[]>
  ca: readonly string[] | undefined
  path: string
  step: Step
  tuning: Pick<Tuning, 'updateSpareBytes' | 'updateRetryMs' | 'updateDeploymentsMs'>
}
/** Where the copy of the data is that a new version is tried with. */
export const rehearsalOf = ({ directory }: Pick<UpdateRecords, 'directory'>) => join(directory, 'rehearsal')

export type Chosen = { release: Release; archive: Archive; url: string }

const LOOK_MS = 500

/** Everything up to the switch. Until then nothing has changed, so whatever goes wrong ends the update and removes what it brought. */
export function createRunUpdate(deps: RunDeps) {
  const { records, layout, step } = deps

  /** Gives the record of an update that the supervisor can carry out. */
  return async function run(begun: UpdateRecord, chosen: Chosen, signal: AbortSignal): Promise<UpdateRecord> {
    let record = begun
    const say = async (text: string) => await records.say(record.id, text)
    const enter = async (phase: UpdatePhase, text: string, change: Partial<UpdateRecord> = {}) => {
      signal.throwIfAborted()
      record = await step(phase, async () => await records.write({ ...record, ...change, phase }))
      await say(text)
    }
    const downloads = join(records.directory, 'downloads')
    const file = join(downloads, chosen.archive.file)
    try {
      await enter('downloading', `Downloading Berth ${record.to} (${sizeWords(chosen.archive.bytes)}).`)
      await removeOthers(downloads, chosen.archive.file)
      await preflight(deps, chosen, signal)
      const { ca, tuning } = deps
      await download({ url: chosen.url, archive: chosen.archive, target: file, ca, retryMs: tuning.updateRetryMs, signal, say })
      await enter('checking', 'Signature and checksum are right. Unpacking it.')
      await step('unpack', async () => await unpack({ layout, archive: file, version: record.to, path: deps.path, signal }))
      await rm(file, { force: true })
      await enter('rehearsing', 'Starting it with a copy of the database.')
      const program = layout.program(record.to)
      const { keepsData } = await deps.rehearse({ program, version: record.to }, rehearsalOf(records), signal)
      await say(keepsData ? 'It works, and the database stays as it is.' : 'It works, and has migrated the copy of the database.')
      await enter('waiting', 'Waiting for running deployments.', { keepsData, goodBefore: await deps.goodChecks() })
      await untilIdle(deps, signal)
      await deps.loadNext(wantedBy(record), signal)
      await enter('switching', `Stopping Berth ${record.from}.`)
      return record
    } catch (cause) {
      deps.forgetNext()
      deps.jobs.hold('none')
      await deps.cleanUp(record.to).catch(() => undefined)
      return await records.end(record, 'failed', wordsFor(cause, signal))
    }
  }
}

function wordsFor(cause: unknown, signal: AbortSignal): string {
  const shown: unknown = signal.aborted ? signal.reason : cause
  return shown instanceof Error ? shown.message : String(shown)
}

async function preflight(
  { dataDir, databaseBytes, layout, engineVersion, tuning }: RunDeps,
  { release, archive }: Chosen,
  signal: AbortSignal,
) {
  const database = await databaseBytes()
  const needs = [
    { directory: layout.releases, bytes: archive.unpackedBytes + tuning.updateSpareBytes },
    // the archive, the copy to rehearse with, the copy to go back to, and room to go back
    { directory: dataDir, bytes: archive.bytes + archive.unpackedBytes + 4 * database + tuning.updateSpareBytes },
  ]
  for (const { directory, bytes } of needs) {
    const free = await freeBytes(directory)
    if (free < bytes) throw new Error(`The update needs ${sizeWords(bytes)} in ${directory}, and ${sizeWords(free)} are free.`)
  }
  const engine = /^\d+\.\d+\.\d+/.exec(await engineVersion(signal).catch(() => ''))?.[0]
  if (engine !== undefined && compareVersions(engine, release.engine) < 0)
    throw new Error(`Berth ${release.version} needs Docker ${release.engine}, and this machine has ${engine}. Update Docker first.`)
}

/** Downloads of other versions. The beginning of this one is what the download goes on from. */
async function removeOthers(downloads: string, file: string): Promise<void> {
  const names = await readdir(downloads).catch(() => [])
  for (const name of names.filter((each) => !each.startsWith(file))) await rm(join(downloads, name), { force: true })
}

/**
 * New deployments wait meanwhile, or people who keep deploying would put the update off forever. Removals and restores go on until the last
 * deployment has ended, because that may take long.
 */
async function untilIdle({ jobs, tuning }: RunDeps, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + tuning.updateDeploymentsMs
  for (const kind of ['long', 'all'] as const) {
    jobs.hold(kind)
    while (await jobs.areRunning(kind)) {
      if (performance.now() > giveUpAt) throw new Error('A deployment was running all the time. Update when it is done.')
      await sleep(LOOK_MS, undefined, { signal })
    }
  }
}
