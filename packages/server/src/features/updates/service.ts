import type { Settings, UpdateCheck, UpdateHistory, UpdateStatus } from '@berth/contract'
import { type Actor, PLATFORM, recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Db } from '../../store/database.ts'
import { isUnderWay, isWithSupervisor, type UpdateRecord } from '../../supervisor/update-record.ts'
import { recordId, type UpdateRecords } from '../../supervisor/update-records.ts'
import type { Feed } from './feed.ts'
import type { Chosen } from './run-update.ts'
import { isAutomatic } from './schedule.ts'

/** What an installed Berth has and a checkout has not. */
export type Installed = {
  run: (begun: UpdateRecord, chosen: Chosen, signal: AbortSignal) => Promise<UpdateRecord>
  /** Removes what an update that ended left behind. */
  cleanUp: (version: string) => Promise<void>
  /** Ends the server, whereupon the supervisor carries on. */
  leave: () => void
  /** Asks the supervisor to return to the old version. */
  goBack: (reason: string) => void
}

type Deps = {
  db: Db
  version: string
  feed: Feed
  records: UpdateRecords
  installed: Installed | undefined
  /** Set if something else than a checkout keeps it from updating itself. */
  whyNot?: string | undefined
  settings: () => Pick<Settings, 'automaticUpdates' | 'updateWindow'>
  log: Pick<Logger, 'info' | 'warn'>
  now: () => Date
}

const CHECKOUT = 'Berth was started from its source code. To update it, stop it and run in its directory: `git pull && npm start`'
const NO_FEED = 'No update feed is set. Set one under Settings.'
const CLEARED = 'It was cleared by an owner.'
const SHOWN_UPDATES = 20

/** New versions of Berth itself: looking for them, and everything until the supervisor switches. */
export function createUpdates(deps: Deps) {
  const { db, version, feed, records, installed, whyNot = CHECKOUT, now } = deps
  const { status, history } = createReading(records)
  let running: AbortController | undefined

  async function check(): Promise<UpdateCheck> {
    const { at, chosen } = await feed.look()
    const { version: latest = version, notes = '', publishedAt = null } = chosen?.release ?? {}
    const message = installed === undefined ? whyNot : feed.hasAddress() ? '' : NO_FEED
    return { current: version, latest, available: chosen !== undefined, notes, publishedAt, message, checkedAt: at.toISOString() }
  }

  async function apply(actor: Actor, by: string): Promise<UpdateStatus> {
    if (!installed) throw new AppError('update_not_possible', { message: whyNot })
    const newest = await records.newest()
    if (running || (newest && isUnderWay(newest))) throw new AppError('update_running')
    const controller = new AbortController()
    running = controller // before anything is awaited: of two requests one gets it
    try {
      const { chosen } = await feed.look()
      if (!chosen) throw new AppError('no_update', feed.hasAddress() ? {} : { message: NO_FEED })
      const begun = await begin(chosen, { actor, by, previous: newest?.id })
      void carryOn(begun, chosen, { installed, controller })
      return await status()
    } catch (cause) {
      running = undefined
      throw cause
    }
  }

  async function begin({ release }: Chosen, asked: { actor: Actor; by: string; previous: string | undefined }): Promise<UpdateRecord> {
    const at = now()
    const change = { action: 'update.apply', subject: 'settings', before: { version }, after: { version: release.version } } as const
    await db.transaction(async (tx) => await recordAudit(tx, at, asked.actor, change))
    const times = { startedAt: at.toISOString(), endedAt: null, attempts: 0 }
    const open = { phase: 'downloading', outcome: null, error: '', keepsData: false, goodBefore: [] } as const
    return await records.write({ id: freshId(at, asked.previous), from: version, to: release.version, by: asked.by, ...times, ...open })
  }

  async function carryOn(begun: UpdateRecord, chosen: Chosen, held: { installed: Installed; controller: AbortController }): Promise<void> {
    try {
      const record = await held.installed.run(begun, chosen, held.controller.signal)
      deps.log.info({ from: record.from, to: record.to, phase: record.phase, reason: record.error }, 'update')
      if (record.phase === 'switching') held.installed.leave()
    } catch (err) {
      deps.log.warn({ err }, 'the update could not be ended; the next start does that')
    } finally {
      running = undefined
    }
  }

  /** Ends one that is under way, wherever it is: before the switch nothing has changed, and after it the supervisor returns. */
  async function clear(caller: Caller): Promise<{ cleared: boolean }> {
    const newest = await records.newest()
    if (!newest || !isUnderWay(newest)) return { cleared: false }
    if (newest.phase === 'switching' && newest.from === deps.version) return { cleared: false } // this server is leaving
    if (isWithSupervisor(newest) && installed) installed.goBack(CLEARED)
    else if (running) running.abort(new Error(CLEARED))
    else await records.end(newest, 'failed', CLEARED)
    const change = { action: 'update.clear', subject: 'settings', after: { version: newest.to } } as const
    if (!isWithSupervisor(newest)) await db.transaction(async (tx) => await recordAudit(tx, now(), caller, change))
    return { cleared: true }
  }

  return { check, apply, status, history, clear, ...createUpkeep(deps, apply) }
}

/** What is told about updates. */
function createReading(records: UpdateRecords) {
  async function status(): Promise<UpdateStatus> {
    const newest = await records.newest()
    if (!newest) return { state: 'idle', from: '', to: '', phase: '', startedAt: null, endedAt: null, error: '', log: [] }
    const { from, to, phase, startedAt, endedAt, error, outcome } = newest
    const state = outcome ?? 'in_progress'
    return { state, from, to, phase: phase === 'ended' ? '' : phase, startedAt, endedAt, error, log: await records.logLines(newest.id) }
  }

  async function history(): Promise<UpdateHistory> {
    const ended = (await records.all()).filter((record) => !isUnderWay(record)).slice(0, SHOWN_UPDATES)
    return await Promise.all(
      ended.map(async ({ id, from, to, by, startedAt, endedAt, outcome, error }) => {
        return { from, to, by, startedAt, endedAt, state: outcome ?? 'failed', error, log: await records.logLines(id) }
      }),
    )
  }

  return { status, history }
}

/** What happens without anybody asking. */
function createUpkeep(
  { version, feed, records, installed, settings, now, log }: Deps,
  apply: (actor: Actor, by: string) => Promise<UpdateStatus>,
) {
  /** At the start: an update that a crash interrupted. With a supervisor, the switch is that one's affair. */
  async function resolveInterrupted(): Promise<void> {
    await endInterrupted().catch((err: unknown) => log.warn({ err }, 'an interrupted update could not be ended')) // such as on a full disk
  }

  async function endInterrupted(): Promise<void> {
    const newest = await records.newest()
    if (!newest || !isUnderWay(newest) || (installed && isWithSupervisor(newest))) return
    if (newest.to === version) return void (await records.end(newest, 'succeeded'))
    await installed?.cleanUp(newest.to).catch((err: unknown) => log.warn({ err }, 'files of an interrupted update are left'))
    await records.end(newest, 'failed', 'Berth was restarted before anything was changed. Try again.')
  }

  async function look(): Promise<void> {
    if (!feed.hasAddress()) return
    const { chosen } = await feed.look()
    if (!chosen || !installed) return
    const failed = (await records.all()).filter(({ outcome }) => outcome === 'failed')
    const offered = chosen.release.version
    if (!isAutomatic({ settings: settings(), running: version, offered, failed, now: now() })) return
    log.info({ from: version, to: offered }, 'updating automatically')
    await apply(PLATFORM, '')
  }

  return { resolveInterrupted, look }
}

/** Ids order the records, also when two begin within a second or the clock was set back. */
function freshId(at: Date, previous: string | undefined): string {
  for (let shown = at; ; shown = new Date(shown.getTime() + 1000)) {
    const id = recordId(shown)
    if (previous === undefined || id > previous) return id
  }
}

export type Updates = ReturnType<typeof createUpdates>
