import { sql } from 'kysely'
import { StartRefused } from '../lib/start-refused.ts'
import type { Reader, Tx } from './database.ts'
import { databaseTime } from './dialect.ts'

/** A process among several on one database (docs/decisions/0016). */
export type NodeIdentity = {
  readonly name: string
  /** Of this run: after a restart it is another one. */
  readonly bootId: string
  readonly version: string
  /** A hash of its keys. */
  readonly keys: string
  /** Of the machine: its own and those of its edge. */
  readonly ports: readonly number[]
}

/** A node that was not heard of for this long may be gone. */
export const LIVING_MS = 10_000
/** And after this long it is: longer than a paused node can keep the others from writing their heartbeats. */
export const LOST_MS = 15_000
/** A node whose own heartbeats were further apart than this cannot judge others: what kept it from writing may have kept them too. */
export const GAP_MS = 6000

export async function databaseNow(db: Reader): Promise<Date> {
  const { rows } = await sql<{ time: string }>`select ${databaseTime(db)} as time`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database did not say the time')
  return new Date(row.time)
}

export async function livingNodes(db: Reader) {
  const since = new Date((await databaseNow(db)).getTime() - LIVING_MS)
  const running = db.selectFrom('control_plane').selectAll().where('boot_id', '<>', '')
  return await running.where('heartbeat_at', '>=', since.toISOString()).orderBy('name').execute()
}

const ROUTES_UNKNOWN = { routes_seen: 0, routes_busy: '[]' } as const

async function refuseDifferent(tx: Tx, node: NodeIdentity): Promise<void> {
  const others = (await livingNodes(tx)).filter(({ name }) => name !== node.name)
  const other = others.find(({ keys }) => keys !== node.keys)
  if (other)
    throw new StartRefused(
      `The keys of this node differ from those of the node "${other.name}". Copy secrets.key and session.key from its data directory into this one.`,
    )
  const old = others.find(({ version }) => version !== node.version)
  if (old)
    throw new StartRefused(
      `This is version ${node.version} of Berth, and the node "${old.name}" runs version ${old.version}. Stop all nodes, and start them with the same version.`,
    )
}

/**
 * Its name is free: the lock of the writing connection says so. A start that fails must not look like a node that is there, so the heartbeat stays
 * as it is until this one listens, and whether the edge was stopped until it has confirmed its routes.
 */
export async function joinNodes(tx: Tx, node: NodeIdentity): Promise<void> {
  await refuseDifferent(tx, node)
  const { bootId: boot_id, version, keys } = node
  const started_at = databaseTime(tx)
  const row = { boot_id, version, keys, ports: JSON.stringify(node.ports), started_at, ...ROUTES_UNKNOWN }
  await tx
    .insertInto('control_plane')
    .values({ name: node.name, heartbeat_at: databaseTime(tx), edge_stopped: 1, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

/** Those of nodes that are gone too: they may come back. */
export async function portsOfNodes(db: Reader): Promise<number[]> {
  const rows = await db.selectFrom('control_plane').select('ports').execute()
  return rows.flatMap(({ ports }) => JSON.parse(ports) as number[]) // only `joinNodes` writes it
}

/** `replaced`: the name belongs to another run. */
type Beat =
  | { readonly state: 'replaced' }
  | {
      readonly state: 'there' | 'edge stopped'
      readonly at: number
      /** The heartbeat before it. */
      readonly before: number
    }

export async function beat(tx: Tx, { name, bootId }: Pick<NodeIdentity, 'name' | 'bootId'>): Promise<Beat> {
  const before = await heartbeatOf(tx, bootId)
  const row = await tx
    .updateTable('control_plane')
    .set({ heartbeat_at: databaseTime(tx) })
    .where('name', '=', name)
    .where('boot_id', '=', bootId)
    .returning(['edge_stopped', 'heartbeat_at'])
    .executeTakeFirst()
  if (row === undefined || before === undefined) return { state: 'replaced' }
  return { state: row.edge_stopped === 0 ? 'there' : 'edge stopped', at: Date.parse(row.heartbeat_at), before }
}

async function heartbeatOf(db: Reader, bootId: string): Promise<number | undefined> {
  const row = await db.selectFrom('control_plane').select('heartbeat_at').where('boot_id', '=', bootId).executeTakeFirst()
  return row && Date.parse(row.heartbeat_at)
}

/** The row stays: its edge goes on serving, until the node starts again or counts as lost. */
export async function leaveNodes(tx: Tx, { name, bootId }: Pick<NodeIdentity, 'name' | 'bootId'>): Promise<void> {
  await tx.updateTable('control_plane').set({ boot_id: '' }).where('name', '=', name).where('boot_id', '=', bootId).execute()
}

/** Those whose edges may still run; with `isAgain` also those whose edges were stopped. */
export async function lostNodes(db: Reader, { except, isAgain }: { except: string; isAgain: boolean }) {
  const before = new Date((await databaseNow(db)).getTime() - LOST_MS)
  const lost = db
    .selectFrom('control_plane')
    .select(['name', 'edge_stopped'])
    .where('heartbeat_at', '<', before.toISOString())
    .where('boot_id', '<>', except)
    .orderBy('name')
  return await (isAgain ? lost : lost.where('edge_stopped', '<>', 1)).execute()
}

/**
 * In a transaction, because a heartbeat that had to wait for its turn is written before it. From here on these nodes hear that their edges are
 * stopped, however soon they are back. Nobody is judged by a node that has not been heard of itself just now.
 */
export async function judgeLost(tx: Tx, judged: Parameters<typeof lostNodes>[1]) {
  const ours = await heartbeatOf(tx, judged.except)
  if (ours === undefined || (await databaseNow(tx)).getTime() - ours > GAP_MS) return []
  const lost = await lostNodes(tx, judged)
  const names = lost.filter(({ edge_stopped }) => edge_stopped === 0).map(({ name }) => name)
  if (names.length > 0) await tx.updateTable('control_plane').set({ edge_stopped: 2 }).where('name', 'in', names).execute()
  return lost
}

/** Even if the node is back: it has to start its edge again. */
export async function noteEdgeStopped(tx: Tx, name: string): Promise<void> {
  await tx.updateTable('control_plane').set({ edge_stopped: 1 }).where('name', '=', name).execute()
}
