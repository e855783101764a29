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
}

/** A node that was not heard of for this long may be gone. */
const LIVING_MS = 10_000

export async function databaseNow(db: Reader): Promise<Date> {
  const { rows } = await sql<{ time: string }>`select ${databaseTime(db)} as time`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database did not say the time')
  return new Date(row.time)
}

export async function livingNodes(db: Reader) {
  const since = new Date((await databaseNow(db)).getTime() - LIVING_MS)
  return await db.selectFrom('control_plane').selectAll().where('heartbeat_at', '>=', since.toISOString()).orderBy('name').execute()
}

/** Its name is free: the lock of the writing connection says so. */
export async function joinNodes(tx: Tx, node: NodeIdentity): Promise<void> {
  const other = (await livingNodes(tx)).find(({ name, keys }) => name !== node.name && keys !== node.keys)
  if (other)
    throw new StartRefused(
      `The keys of this node differ from those of the node "${other.name}". Copy secrets.key and session.key from its data directory into this one.`,
    )
  const { bootId: boot_id, version, keys } = node
  const row = { boot_id, heartbeat_at: databaseTime(tx), version, keys, routes_seen: 0, routes_busy: '[]' } // its edge may have old routes
  await tx
    .insertInto('control_plane')
    .values({ name: node.name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

/** Returns whether the name still belongs to this run. */
export async function beat(tx: Tx, { name, bootId }: Pick<NodeIdentity, 'name' | 'bootId'>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('control_plane')
    .set({ heartbeat_at: databaseTime(tx) })
    .where('name', '=', name)
    .where('boot_id', '=', bootId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function leaveNodes(tx: Tx, { name, bootId }: Pick<NodeIdentity, 'name' | 'bootId'>): Promise<void> {
  await tx.deleteFrom('control_plane').where('name', '=', name).where('boot_id', '=', bootId).execute()
}
