import type { Settings } from '@berth/contract'
import { appendEvent } from '../../events/event-log.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { AppRow } from '../../store/rows.ts'
import { appsWithoutDomainUnder, insertDomain, isHostTaken, newDomainRow, projectSlug } from './store.ts'

const LONGEST_LABEL = 63

/** `<app>-<project>.<wildcard>`; "a-b" of "c" and "a" of "b-c" would meet, so a taken name gets the app's id behind it. */
async function addGeneratedDomain(tx: Tx, app: AppRow, options: { wildcard: string; reserved: string; at: Date }): Promise<void> {
  const suffix = `-${app.id}`
  const label = `${app.slug}-${await projectSlug(tx, app.project_id)}`
  const short = label.slice(0, LONGEST_LABEL).replaceAll(/-+$/g, '')
  const plain = `${short}.${options.wildcard}`
  const isFree = label.length <= LONGEST_LABEL && plain !== options.reserved && !(await isHostTaken(tx, plain))
  const host = isFree ? plain : `${short.slice(0, LONGEST_LABEL - suffix.length)}${suffix}.${options.wildcard}`
  const domain = await insertDomain(tx, newDomainRow(app.id, host, { generated: true, at: options.at }))
  await appendEvent(tx, options.at, { type: 'domain.changed', data: { projectId: app.project_id, appId: app.id, domainId: domain.id } })
}

/** The domains that Berth makes by itself: for a new web app, and for all of them when a wildcard is set. */
export function createGeneratedDomains({ readSettings, now }: { readSettings: (db: Reader) => Promise<Settings>; now: () => Date }) {
  async function add(tx: Tx, app: AppRow): Promise<void> {
    const { wildcardDomain, dashboardDomain } = await readSettings(tx)
    if (wildcardDomain !== '') await addGeneratedDomain(tx, app, { wildcard: wildcardDomain, reserved: dashboardDomain, at: now() })
  }

  async function addMissing(tx: Tx, wildcard: string): Promise<void> {
    const { dashboardDomain } = await readSettings(tx)
    for (const app of await appsWithoutDomainUnder(tx, wildcard))
      await addGeneratedDomain(tx, app, { wildcard, reserved: dashboardDomain, at: now() })
  }

  return { add, addMissing }
}
