import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import { DatabaseLost } from '../database-lost.ts'
import type { NodeIdentity } from '../presence.ts'
import { appliedVersion } from './migrate.ts'

const LOOK_AGAIN_MS = 200
/** Longer than the time between two heartbeats. */
const HEARTBEAT_WITHIN_MS = 3000

/** Somebody else has the database, or the name. */
export class AnotherBerth extends DatabaseLost {}

/** A Berth without a name has the first lock alone. Nodes share it, and each has a second one for its name. */
const ALONE = 'pg_try_advisory_lock(1650815604, 2)'
const SHARED = 'pg_try_advisory_lock_shared(1650815604, 2)'
const NAME = 'pg_try_advisory_lock(1650815605, hashtext($1))'

type Patience = { patienceMs: number }

/**
 * Held as long as the connection lives, so that a process that lost it cannot write before it has its place again. The server frees the
 * locks when it notices that their holder is gone, which can take a moment.
 */
export async function own(client: pg.Client, node: NodeIdentity | undefined, patience: Patience): Promise<void> {
  if (node === undefined) return await lock(client, { call: ALONE, refusal: 'another Berth is using it' }, patience)
  await client.query(`set idle_in_transaction_session_timeout = '10s'`) // a paused node that holds the transaction lock stops all others
  await lock(client, { call: SHARED, refusal: 'a Berth without BERTH_NODE_NAME is using it' }, patience)
  await lock(client, { call: NAME, values: [node.name], refusal: `the node "${node.name}" is using it already` }, patience)
}

async function lock(client: pg.Client, wanted: { call: string; values?: string[]; refusal: string }, { patienceMs }: Patience) {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const { rows } = await client.query<{ isOurs: number }>(`select ${wanted.call} as "isOurs"`, wanted.values ?? [])
    if (rows[0]?.isOurs === 1) return
    if (performance.now() > giveUpAt) throw new AnotherBerth(wanted.refusal)
    await sleep(LOOK_AGAIN_MS)
  }
}

/** At a start: a node whose heart beats is refused at once, instead of waiting until its lock is free. */
export async function refuseLivingName(client: pg.Client, { name }: NodeIdentity): Promise<void> {
  const first = await heartbeatOf(client, name)
  if (first === undefined) return
  await sleep(HEARTBEAT_WITHIN_MS)
  const second = await heartbeatOf(client, name)
  if (second !== undefined && second !== first)
    throw new StartRefused(
      `A node named "${name}" is running on the database of BERTH_DATABASE_URL. Stop it first, or give this one another BERTH_NODE_NAME.`,
    )
}

/** Undefined if it has none, or an old one. */
async function heartbeatOf(client: pg.Client, name: string): Promise<string | undefined> {
  if (!(await hasNodes(client))) return undefined
  const { rows } = await client.query<{ heartbeat: string }>(
    `select heartbeat_at as heartbeat from control_plane where name = $1 and boot_id <> '' and cast(heartbeat_at as timestamptz) > now() - interval '10 seconds'`,
    [name],
  )
  return rows[0]?.heartbeat
}

async function hasNodes(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>(`select to_regclass('control_plane')::text as found`)
  return rows[0]?.found !== null
}

/** Before a migration: the other nodes expect the tables as they are. Ours has the lock as well. */
export async function refuseBesideOthers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ holders: number }>(
    `select count(*) as holders from pg_locks where locktype = 'advisory' and classid = 1650815604 and objid = 2
      and database = (select oid from pg_database where datname = current_database()) and granted`,
  )
  if ((rows[0]?.holders ?? 0) > 1)
    throw new StartRefused(
      'Other nodes are running on the database of BERTH_DATABASE_URL with an earlier version of Berth. Stop all of them, then start this one first.',
    )
}

/** A node that was away may come back after the others were updated. */
export async function refuseOtherVersion(client: pg.Client, version: number): Promise<void> {
  if ((await appliedVersion(client)) !== version) throw new AnotherBerth('a newer version of Berth has changed it')
}
