import { randomBytes } from 'node:crypto'
import type { Settings } from '@berth/contract'
import type { AppRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { withoutTrailing } from '../../lib/without-trailing.ts'
import type { Reader, Tx } from '../../store/database.ts'
import { readFact, writeFact } from '../../store/facts.ts'
import { type BaseDomain, baseDomain } from './base-domain.ts'
import { readServerAddress } from './server-address.ts'
import {
  appsWithoutGeneratedDomain,
  deleteGeneratedElsewhere,
  insertDomain,
  isForeignBelow,
  isHostTaken,
  newDomainRow,
  projectSlug,
} from './store.ts'

const LONGEST_LABEL = 63
const TRIES = 20
const FACT = 'domains.base'

type Options = { base: BaseDomain; reserved: string; at: Date }

function withSuffix(label: string, suffix: string): string {
  return `${label.slice(0, LONGEST_LABEL - suffix.length)}${suffix}`
}

/**
 * `<app>-<project>`; "a-b" of "c" and "a" of "b-c" would collide, so a taken name gets the app's id appended. Ids are predictable, so
 * such a name may have been taken in advance; after that come random names.
 */
function* labelsFor(label: string, id: number): Generator<string> {
  const short = withoutTrailing(label.slice(0, LONGEST_LABEL), '-')
  if (label.length <= LONGEST_LABEL) yield short
  yield withSuffix(short, `-${id}`)
  for (let tries = 0; tries < TRIES; tries += 1) yield withSuffix(short, `-${id}-${randomBytes(4).toString('hex')}`)
}

async function freeHost(tx: Tx, app: AppRow, { base, reserved }: Options): Promise<string> {
  for (const label of labelsFor(`${app.slug}-${await projectSlug(tx, app.project_id)}`, app.id)) {
    const host = `${label}.${base.name}`
    const isTaken = host === reserved || (await isHostTaken(tx, host)) || (await isForeignBelow(tx, host, app.project_id))
    if (!isTaken) return host
  }
  throw new Error(`no free name under ${base.name} for app ${app.id}`)
}

async function addGeneratedDomain(tx: Tx, app: AppRow, options: Options): Promise<void> {
  const host = await freeHost(tx, app, options)
  const needsDns = options.base.kind === 'wildcard'
  const domain = await insertDomain(tx, newDomainRow(app.id, host, { generated: true, needsDns, at: options.at }))
  await appendEvent(tx, options.at, { type: 'domain.changed', data: { projectId: app.project_id, appId: app.id, domainId: domain.id } })
}

/** The current base domain, from the settings and the server's address. */
function createReadBase(readSettings: (db: Reader) => Promise<Settings>) {
  return async (db: Reader): Promise<BaseDomain | undefined> => baseDomain(await readSettings(db), await readServerAddress(db))
}

/** The generated domains: one for each web and compose app. */
export function createGeneratedDomains({ readSettings, now }: { readSettings: (db: Reader) => Promise<Settings>; now: () => Date }) {
  const readBase = createReadBase(readSettings)

  async function add(tx: Tx, app: AppRow): Promise<void> {
    const base = await readBase(tx)
    const { dashboardDomain } = await readSettings(tx)
    if (base) await addGeneratedDomain(tx, app, { base, reserved: dashboardDomain, at: now() })
  }

  /** Moves all generated names to the current base domain. One that a person removed only comes back with another base. */
  async function moveToBase(tx: Tx): Promise<void> {
    const base = await readBase(tx)
    const name = base?.name ?? ''
    if ((await readFact(tx, FACT)) === name) return
    await writeFact(tx, FACT, name)
    const at = now()
    const moved = await deleteGeneratedElsewhere(tx, name)
    for (const { id, appId, projectId } of moved)
      await appendEvent(tx, at, { type: 'domain.changed', data: { projectId, appId, domainId: id } })
    if (!base) return
    const { dashboardDomain } = await readSettings(tx)
    const isVisited = ({ id, port }: AppRow) => port !== null || moved.some(({ appId }) => appId === id)
    const without = (await appsWithoutGeneratedDomain(tx)).filter(isVisited)
    for (const app of without) await addGeneratedDomain(tx, app, { base, reserved: dashboardDomain, at })
  }

  return { add, moveToBase, readBase }
}
