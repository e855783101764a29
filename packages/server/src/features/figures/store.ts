import type { AccessTake } from '../../edge/traffic/access-counts.ts'
import type { Reader, Tx } from '../../store/database.ts'
import { readFact, writeFact } from '../../store/facts.ts'
import { bytesOf, HOURS_KEPT, type Hour, hourFrom } from './samples.ts'

/** An hour replaces the one from 25 hours before. */
export async function writeHours(tx: Tx, hours: readonly { appId: number; hour: number; samples: Hour }[]): Promise<void> {
  for (const { appId, hour, samples } of hours) {
    const row = { hour, samples: bytesOf(samples) }
    await tx
      .insertInto('app_figure')
      .values({ app_id: appId, slot: hour % HOURS_KEPT, ...row })
      .onConflict((conflict) => conflict.columns(['app_id', 'slot']).doUpdateSet(row))
      .execute()
  }
}

export async function readHours(db: Reader, appId: number, since: number): Promise<Map<number, Hour>> {
  const rows = await db
    .selectFrom('app_figure')
    .select(['hour', 'samples'])
    .where('app_id', '=', appId)
    .where('hour', '>=', since)
    .execute()
  return new Map(rows.map(({ hour, samples }) => [hour, hourFrom(samples)]))
}

/** Of all apps: the last hours, which are in memory while the server runs. */
export async function readAllHours(db: Reader, since: number): Promise<{ appId: number; hour: number; samples: Hour }[]> {
  const rows = await db.selectFrom('app_figure').select(['app_id', 'hour', 'samples']).where('hour', '>=', since).execute()
  return rows.map(({ app_id: appId, hour, samples }) => ({ appId, hour, samples: hourFrom(samples) }))
}

export async function appIds(db: Reader): Promise<Set<number>> {
  return new Set((await db.selectFrom('app').select('id').execute()).map(({ id }) => id))
}

/** The apps that a user can see; all of them without one. */
export async function visibleAppIds(db: Reader, userId: number | undefined): Promise<Set<number>> {
  if (userId === undefined) return await appIds(db)
  const rows = await db
    .selectFrom('app')
    .innerJoin('project_member', 'project_member.project_id', 'app.project_id')
    .select('app.id')
    .where('project_member.user_id', '=', userId)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

const LEFT = 'traffic of '

type Traffic = ReadonlyMap<string, AccessTake>

function trafficIn(text: string | undefined): Traffic {
  return new Map(text === undefined ? [] : (JSON.parse(text) as [string, AccessTake][])) // only `leaveTraffic` writes it
}

/** For the node that takes the samples. */
export async function leaveTraffic(tx: Tx, node: string, add: (before: Traffic) => Traffic): Promise<void> {
  const name = `${LEFT}${node}`
  await writeFact(tx, name, JSON.stringify([...add(trafficIn(await readFact(tx, name)))]))
}

export async function takeLeftTraffic(tx: Tx): Promise<Traffic[]> {
  const rows = await tx.deleteFrom('fact').where('name', 'like', `${LEFT}%`).returning('value').execute()
  return rows.map(({ value }) => trafficIn(value))
}
