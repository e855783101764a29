import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Step } from '../lib/step.ts'
import type { DataCopies } from './data-copies.ts'
import { withDataLock } from './data-lock.ts'
import type { Layout } from './layout.ts'
import type { UpdateRecord } from './update-record.ts'
import type { UpdateRecords } from './update-records.ts'

type Deps = {
  dataDir: string
  copies: DataCopies
  layout: Layout
  records: UpdateRecords
  step: Step
  stopping: AbortSignal
  /** A release that is not removed with the old ones. */
  kept?: string
}

/** A version that takes the machine down with it must not be tried forever. */
const MOST_ATTEMPTS = 3

/**
 * The steps of a switch while no server runs. Each is durable before the next begins, and can be repeated: after a crash the record says
 * where to go on.
 */
export function createCarryOut({ dataDir, copies, layout, records, step, stopping, kept: alsoKept }: Deps) {
  const snapshotOf = ({ id }: UpdateRecord) => join(records.directory, `${id}.snapshot`)

  /** Nothing has changed yet. */
  async function prepare(update: UpdateRecord): Promise<void> {
    if (copies.isNeeded(update)) {
      await records.say(update.id, 'Copying the database and the keys.')
      const take = async () => await copies.take(update, snapshotOf(update))
      await withDataLock(dataDir, stopping, async () => await step('snapshot', take))
    }
    await step('watching', async () => await records.write({ ...update, phase: 'watching' }))
  }

  /** `current` leads to the new version; says whether it may be started. */
  async function begin(update: UpdateRecord): Promise<UpdateRecord | undefined> {
    if (update.attempts >= MOST_ATTEMPTS) {
      await giveUp(update, `Berth ${update.to} was started ${MOST_ATTEMPTS} times and never watched to the end`)
      return undefined
    }
    const begun = await step('attempt', async () => await records.write({ ...update, attempts: update.attempts + 1 }))
    await withDataLock(dataDir, stopping, async () => await step('switch', async () => await layout.switchTo(update.to)))
    await records.say(update.id, `Starting Berth ${update.to}.`)
    return begun
  }

  /** From here on there is only the way back. */
  async function giveUp(update: UpdateRecord, reason: string): Promise<void> {
    await records.say(update.id, reason)
    await step('returning', async () => await records.write({ ...update, phase: 'returning', error: reason }))
  }

  async function goBack(update: UpdateRecord): Promise<void> {
    await records.say(update.id, `Going back to Berth ${update.from}${update.keepsData ? '' : ' and the copy of the database'}.`)
    await withDataLock(dataDir, stopping, async () => {
      if (!update.keepsData) await step('restore', async () => await copies.putBack(update, snapshotOf(update)))
      await step('switch back', async () => await layout.switchTo(update.from))
    })
    await step('failed', async () => await records.end(update, 'failed', update.error))
    await removeOld({ releases: [update.from], isCopyKept: (name) => !name.startsWith(update.id) })
  }

  async function succeed(update: UpdateRecord): Promise<void> {
    await step('succeeded', async () => await records.end(update, 'succeeded'))
    await removeOld({ releases: [update.from, update.to], isCopyKept: (name) => name.startsWith(update.id) })
  }

  /** Everything of releases that nothing leads to, copies of the database, and downloads. What cannot be removed does no harm. */
  async function removeOld(kept: { releases: readonly string[]; isCopyKept: (name: string) => boolean }): Promise<void> {
    const remove = async (directory: string, isOld: (name: string) => boolean) => {
      const names = await readdir(directory).catch(() => [])
      for (const name of names.filter(isOld)) await rm(join(directory, name), { recursive: true, force: true }).catch(() => undefined)
    }
    const isUnused = (name: string) => name !== alsoKept && !kept.releases.includes(name)
    await remove(layout.releases, isUnused)
    await remove(join(dataDir, 'compile-cache'), isUnused)
    await remove(records.directory, (name) => name.includes('.snapshot') && !kept.isCopyKept(name))
    await remove(join(records.directory, 'downloads'), () => true)
  }

  return { prepare, begin, giveUp, goBack, succeed }
}

export type CarryOut = ReturnType<typeof createCarryOut>
