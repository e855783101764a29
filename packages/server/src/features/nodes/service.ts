import type { ControlPlane } from '@berth/contract'
import { type Actor, recordAudit } from '../../domain/audit.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import { databaseNow, LIVING_MS } from '../../store/presence.ts'
import { busyWorkers, deleteNode, leaseHolders, readNodes } from './store.ts'

type Deps = {
  db: Db
  /** Of this node; undefined for the only process on its database. */
  bootId: string | undefined
  now: () => Date
}
type Row = Awaited<ReturnType<typeof readNodes>>[number]

function stateOf({ boot_id, heartbeat_at }: Row, now: Date): ControlPlane['state'] {
  if (boot_id === '') return 'stopped'
  return Date.parse(heartbeat_at) >= now.getTime() - LIVING_MS ? 'running' : 'away'
}

/** The control planes on the database, as each of them can say. */
export function createNodes({ db, bootId, now: ourNow }: Deps) {
  async function list(): Promise<ControlPlane[]> {
    if (bootId === undefined) return []
    const now = await databaseNow(db)
    const [holders, workers] = [await leaseHolders(db, now.toISOString()), await busyWorkers(db, now.toISOString())]
    return (await readNodes(db)).map((row) => ({
      name: row.name,
      isThis: row.boot_id === bootId,
      state: stateOf(row, now),
      version: row.version,
      startedAt: row.started_at === '' ? null : row.started_at,
      lastSeenAt: row.heartbeat_at,
      runsLoops: row.boot_id !== '' && holders.includes(row.boot_id),
      jobs: row.boot_id === '' ? 0 : workers.filter((worker) => worker.endsWith(`/${row.boot_id}`)).length,
      isEdgeStopped: row.edge_stopped === 1,
    }))
  }

  /** Its ports are free from then on. If it comes back after all, it ends itself, and joins as a new one when it is started again. */
  async function remove(actor: Actor, name: string): Promise<ControlPlane[]> {
    await db.transaction(async (tx) => {
      const row = (await readNodes(tx)).find((node) => node.name === name)
      if (bootId === undefined || !row) throw new AppError('node_not_found')
      if (stateOf(row, await databaseNow(tx)) === 'running' || row.edge_stopped !== 1) throw new AppError('node_running')
      await recordAudit(tx, ourNow(), actor, { action: 'node.remove', subject: 'node', before: { name, lastSeenAt: row.heartbeat_at } })
      await deleteNode(tx, name)
    })
    return await list()
  }

  return { list, remove }
}

export type Nodes = ReturnType<typeof createNodes>
