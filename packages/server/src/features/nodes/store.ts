import type { Reader, Tx } from '../../store/database.ts'

export async function readNodes(db: Reader) {
  const columns = ['name', 'boot_id', 'version', 'started_at', 'heartbeat_at', 'edge_stopped'] as const
  return await db.selectFrom('control_plane').select(columns).orderBy('name').execute()
}

/** The boot ids of those that hold a lease now. */
export async function leaseHolders(db: Reader, at: string): Promise<string[]> {
  const rows = await db.selectFrom('lease').select('holder').where('until', '>=', at).execute()
  return rows.map(({ holder }) => holder)
}

/** One for each job that somebody works on now: the name of a node, a slash and its boot id. */
export async function busyWorkers(db: Reader, at: string): Promise<string[]> {
  const rows = await db.selectFrom('job').select('worker').where('lease_until', '>=', at).execute()
  return rows.flatMap(({ worker }) => worker ?? [])
}

export async function deleteNode(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('control_plane').where('name', '=', name).execute()
}
