import type { Reader, Tx } from '../store/database.ts'
import { readFact, writeFact } from '../store/facts.ts'
import { livingNodes } from '../store/presence.ts'

/** Containers that get no visitors for now, each with the boot id of the node that wants it so. */
type Resting = Readonly<Record<string, string>>
export type RouteChangeRow = {
  readonly appId: number
  readonly revision: number
  readonly target: string
  readonly drain: string
  readonly resting: Resting
  /** A deployment of the app is in the stage that switches: otherwise what the row says of its target is a leftover. */
  readonly isDeploying: boolean
}

const REVISION = 'routes_revision'

export async function routesRevision(db: Reader): Promise<number> {
  return Number((await readFact(db, REVISION)) ?? 0)
}

/** What is newer than a revision, and what is in effect now. */
export async function routeChanges(db: Reader, after: number): Promise<RouteChangeRow[]> {
  const rows = await db
    .selectFrom('route_change')
    .leftJoin('deployment', (join) => join.onRef('deployment.app_id', '=', 'route_change.app_id').on('deployment.status', '=', 'deploying'))
    .select(['route_change.app_id as appId', 'revision', 'target', 'drain', 'resting', 'deployment.id as deploymentId'])
    .where((eb) => eb.or([eb('revision', '>', after), eb('target', '<>', ''), eb('resting', '<>', '{}')]))
    .orderBy('route_change.app_id')
    .execute()
  return rows.map(({ deploymentId, resting, ...row }) => ({ ...row, resting: restingIn(resting), isDeploying: deploymentId !== null }))
}

type Change = { target?: string; drain?: string; rest?: string; wake?: string }

/** Returns its revision; undefined if the app is gone. */
export async function putRouteChange(
  tx: Tx,
  appId: number,
  { bootId, ...change }: Change & { bootId: string },
): Promise<number | undefined> {
  const app = await tx.selectFrom('app').select('id').where('id', '=', appId).executeTakeFirst()
  if (app === undefined) return undefined
  const before = await tx.selectFrom('route_change').selectAll().where('app_id', '=', appId).executeTakeFirst()
  const resting = new Map(Object.entries(restingIn(before?.resting ?? '{}')))
  if (change.rest !== undefined) resting.set(change.rest, bootId)
  if (change.wake !== undefined) resting.delete(change.wake)
  const revision = (await routesRevision(tx)) + 1
  await writeFact(tx, REVISION, String(revision))
  const row = {
    revision,
    target: change.target ?? before?.target ?? '',
    drain: change.drain ?? '[]',
    resting: JSON.stringify(Object.fromEntries(resting)),
  }
  await tx
    .insertInto('route_change')
    .values({ app_id: appId, ...row })
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet(row))
    .execute()
  return revision
}

/** From then on the other nodes wait for this one, if it has seen all there is. */
export async function noteRoutes(tx: Tx, bootId: string, { seen, busy }: { seen: number; busy: readonly number[] }): Promise<void> {
  const isWhole = (await routesRevision(tx)) === seen
  const said = { routes_seen: seen, routes_busy: JSON.stringify(busy), ...(isWhole && { edge_stopped: 0 as const }) }
  await tx.updateTable('control_plane').set(said).where('boot_id', '=', bootId).execute()
}

/** The other nodes whose edges may be running, and what these have confirmed. */
export async function otherEdges(db: Reader, bootId: string): Promise<{ name: string; seen: number; busy: readonly number[] }[]> {
  const columns = ['name', 'routes_seen', 'routes_busy'] as const
  const nodes = db.selectFrom('control_plane').select(columns).where('edge_stopped', '<>', 1)
  const others = await nodes.where('boot_id', '<>', bootId).orderBy('name').execute()
  return others.map(({ name, routes_seen, routes_busy }) => ({ name, seen: routes_seen, busy: JSON.parse(routes_busy) as number[] })) // only `noteRoutes` writes it
}

export async function livingBoots(db: Reader): Promise<ReadonlySet<string>> {
  return new Set((await livingNodes(db)).map(({ boot_id }) => boot_id))
}

function restingIn(text: string): Resting {
  return JSON.parse(text) as Resting // only `putRouteChange` writes it
}
