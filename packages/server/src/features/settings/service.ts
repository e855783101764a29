import type { Settings } from '@berth/contract'
import { changedFields, recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { hostProblem, normalHost } from '../../lib/host-name.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { readSettings, writeSetting } from './store.ts'

type Deps = {
  db: Db
  now: () => Date
  /** Moves the generated domains to their names under the current settings. */
  moveDomains: (tx: Tx) => Promise<void>
  isHostOfApp: (db: Reader, host: string) => Promise<boolean>
  /** Called after the commit. */
  onChanged: () => Promise<void>
}

export function createSettings(deps: Deps) {
  const { db, now } = deps

  async function get(): Promise<Settings> {
    return await readSettings(db)
  }

  async function checkHost(tx: Tx, field: string, given: string | undefined): Promise<string | undefined> {
    const host = checkName(field, given)
    if (!host) return host
    if (await deps.isHostOfApp(tx, host)) throw fieldError('domain_taken', field, 'an app uses this host name')
    return host
  }

  async function update(caller: Caller, input: Partial<Settings>): Promise<Settings> {
    const at = now()
    const settings = await db.transaction(async (tx) => {
      const before = await readSettings(tx)
      refuseOwnersSettings(caller, before, input)
      const change: Partial<Settings> = { ...input }
      const wildcard = await checkHost(tx, 'wildcardDomain', input.wildcardDomain?.trim().replace(/^\*\./, ''))
      const dashboard = await checkHost(tx, 'dashboardDomain', input.dashboardDomain)
      if (wildcard !== undefined) change.wildcardDomain = wildcard
      if (dashboard !== undefined) change.dashboardDomain = dashboard
      const automatic = checkName('automaticDomain', input.automaticDomain)
      if (automatic !== undefined) change.automaticDomain = automatic
      for (const [name, value] of Object.entries(change)) await writeSetting(tx, name, value)
      const after = { ...before, ...change }
      await deps.moveDomains(tx)
      await recordAudit(tx, at, caller, { action: 'settings.update', subject: 'settings', ...changedFields(before, change) })
      await appendEvent(tx, at, { type: 'settings.changed', data: {} })
      return after
    })
    await deps.onChanged()
    return settings
  }

  return { get, update }
}

/** Who decides about updates decides which program runs as root here. */
const OWNERS_SETTINGS = ['updateFeed', 'updateChannel', 'automaticUpdates', 'updateWindow'] as const

function refuseOwnersSettings(caller: Caller, before: Settings, input: Partial<Settings>): void {
  if (caller.role === 'owner') return
  for (const name of OWNERS_SETTINGS)
    if (input[name] !== undefined && input[name] !== before[name])
      throw new AppError('not_allowed', { message: `${name}: only an owner can change how Berth is updated.` })
}

/** Undefined if not given, empty to clear the name. */
function checkName(field: string, given: string | undefined): string | undefined {
  if (given === undefined || given.trim() === '') return given === undefined ? undefined : ''
  const host = normalHost(given)
  const problem = hostProblem(host)
  if (problem) throw fieldError('invalid_domain', field, problem)
  return host
}

export type SettingsService = ReturnType<typeof createSettings>
