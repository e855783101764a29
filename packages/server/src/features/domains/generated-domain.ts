import { randomBytes } from 'node:crypto'
import type { Settings } from '@berth/contract'
import type { AppRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import type { Reader, Tx } from '../../store/database.ts'
import { appsWithoutDomainUnder, insertDomain, isHostTaken, newDomainRow, projectSlug } from './store.ts'

const LONGEST_LABEL = 63
const TRIES = 20

type Options = { wildcard: string; reserved: string; at: Date }

function withSuffix(label: string, suffix: string): string {
  return `${label.slice(0, LONGEST_LABEL - suffix.length)}${suffix}`
}

/**
 * `<app>-<project>`; "a-b" of "c" and "a" of "b-c" would meet, so a taken name gets the app's id behind it.
 * Ids can be guessed, and a name with the next one taken beforehand: after it come names that nobody can guess.
 */
function* labelsFor(label: string, id: number): Generator<string> {
  const short = label.slice(0, LONGEST_LABEL).replaceAll(/-+$/g, '')
  if (label.length <= LONGEST_LABEL) yield short
  yield withSuffix(short, `-${id}`)
  for (let tries = 0; tries < TRIES; tries += 1) yield withSuffix(short, `-${id}-${randomBytes(4).toString('hex')}`)
}

async function freeHost(tx: Tx, app: AppRow, { wildcard, reserved }: Options): Promise<string> {
  for (const label of labelsFor(`${app.slug}-${await projectSlug(tx, app.project_id)}`, app.id)) {
    const host = `${label}.${wildcard}`
    if (host !== reserved && !(await isHostTaken(tx, host))) return host
  }
  throw new Error(`no free name under ${wildcard} for app ${app.id}`)
}

async function addGeneratedDomain(tx: Tx, app: AppRow, options: Options): Promise<void> {
  const host = await freeHost(tx, app, options)
  const domain = await insertDomain(tx, newDomainRow(app.id, host, { generated: true, at: options.at }))
  await appendEvent(tx, options.at, { type: 'domain.changed', data: { projectId: app.project_id, appId: app.id, domainId: domain.id } })
}

/** The domains that Berth makes by itself: for a new web app, and for all of them when a wildcard is set. */
export function createGeneratedDomains({ readSettings, now }: { readSettings: (db: Reader) => Promise<Settings>; now: () => Date }) {
  async function add(tx: Tx, app: AppRow): Promise<void> {
    const { wildcardDomain, dashboardDomain } = await readSettings(tx)
    if (wildcardDomain === '') return
    await addGeneratedDomain(tx, app, { wildcard: wildcardDomain, reserved: dashboardDomain, at: now() })
  }

  async function addMissing(tx: Tx, wildcard: string): Promise<void> {
    const { dashboardDomain } = await readSettings(tx)
    for (const app of await appsWithoutDomainUnder(tx, wildcard))
      await addGeneratedDomain(tx, app, { wildcard, reserved: dashboardDomain, at: now() })
  }

  return { add, addMissing }
}
