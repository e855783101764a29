import type { ControlPlane } from '@berth/contract'
import type { Reader } from '../../store/database.ts'
import { databaseNow, LIVING_MS } from '../../store/presence.ts'
import { busyWorkers, leaseHolders, readNodes } from './store.ts'

type Deps = {
  db: Reader
  /** Of this node; undefined for the only process on its database. */
  bootId: string | undefined
}
type Row = Awaited<ReturnType<typeof readNodes>>[number]

function stateOf({ boot_id, heartbeat_at }: Row, now: Date): ControlPlane['state'] {
  if (boot_id === '') return 'stopped'
  return Date.parse(heartbeat_at) >= now.getTime() - LIVING_MS ? 'running' : 'away'
}

/** The control planes on the database, as each of them can say. */
export function createNodes({ db, bootId }: Deps) {
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

  return { list }
}

export type Nodes = ReturnType<typeof createNodes>
