import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import { DatabaseLost } from '../database-lost.ts'
import type { NodeIdentity } from '../presence.ts'
import { appliedVersion } from './migrate.ts'

const RETRY_MS = 200
/** Longer than the time between two heartbeats. */
const HEARTBEAT_WITHIN_MS = 3000

/** Another Berth uses the database or the name of this node, or has changed the tables. */
export class DatabaseTaken extends DatabaseLost {}

/** A Berth without a name holds the lock of the database alone. Nodes share it, and each also holds a lock for its name. */
const DATABASE = { classid: 1650815604, objid: 2 } as const
const TRY_ALONE = `pg_try_advisory_lock(${DATABASE.classid}, ${DATABASE.objid})`
const TRY_SHARED = `pg_try_advisory_lock_shared(${DATABASE.classid}, ${DATABASE.objid})`
const TRY_NAME = 'pg_try_advisory_lock(1650815605, hashtext($1))'

type Wait = { waitMs: number }

/**
 * The connection holds the locks until it ends, so a process that has lost its connection cannot write before it has taken them again.
 * PostgreSQL frees them only when it notices that their holder is gone, so this waits for them.
 */
export async function takeLocks(client: pg.Client, node: NodeIdentity | undefined, wait: Wait): Promise<void> {
  if (node === undefined) return await lock(client, { call: TRY_ALONE, refusal: 'another Berth is using it' }, wait)
  await client.query(`set idle_in_transaction_session_timeout = '10s'`) // a paused node with an open transaction would block all others
  await lock(client, { call: TRY_SHARED, refusal: 'a Berth without BERTH_NODE_NAME is using it' }, wait)
  await lock(client, { call: TRY_NAME, values: [node.name], refusal: `the node "${node.name}" is using it already` }, wait)
}

async function lock(client: pg.Client, wanted: { call: string; values?: string[]; refusal: string }, { waitMs }: Wait) {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const { rows } = await client.query<{ taken: number }>(`select ${wanted.call} as taken`, wanted.values ?? [])
    if (rows[0]?.taken === 1) return
    if (performance.now() > giveUpAt) throw new DatabaseTaken(wanted.refusal)
    await sleep(RETRY_MS)
  }
}

/** At startup: refuses a name whose node is running, instead of waiting for its lock. */
export async function refuseRunningName(client: pg.Client, { name }: NodeIdentity): Promise<void> {
  const first = await heartbeatOf(client, name)
  if (first === undefined) return
  await sleep(HEARTBEAT_WITHIN_MS)
  const second = await heartbeatOf(client, name)
  if (second !== undefined && second !== first)
    throw new StartRefused(
      `A node named "${name}" is running on the database of BERTH_DATABASE_URL. Stop it first, or give this one another BERTH_NODE_NAME.`,
    )
}

/** Undefined if there is none, or only an old one. */
async function heartbeatOf(client: pg.Client, name: string): Promise<string | undefined> {
  if (!(await hasNodeTable(client))) return undefined
  const { rows } = await client.query<{ heartbeat: string }>(
    `select heartbeat_at as heartbeat from control_plane where name = $1 and boot_id <> '' and cast(heartbeat_at as timestamptz) > now() - interval '10 seconds'`,
    [name],
  )
  return rows[0]?.heartbeat
}

async function hasNodeTable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>(`select to_regclass('control_plane')::text as found`)
  return rows[0]?.found !== null
}

/** Before a migration: other nodes could not work with the new tables. One holder of the lock is this node. */
export async function refuseWhileOthersRun(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ holders: number }>(
    `select count(*) as holders from pg_locks where locktype = 'advisory' and classid = ${DATABASE.classid} and objid = ${DATABASE.objid}
      and database = (select oid from pg_database where datname = current_database()) and granted`,
  )
  if ((rows[0]?.holders ?? 0) > 1)
    throw new StartRefused(
      'Other nodes are running on the database of BERTH_DATABASE_URL with an earlier version of Berth. Stop all of them, then start this one first.',
    )
}

/** A node that was disconnected may return after the others were updated. */
export async function refuseOtherVersion(client: pg.Client, version: number): Promise<void> {
  if ((await appliedVersion(client)) !== version) throw new DatabaseTaken('a newer version of Berth has changed it')
}
