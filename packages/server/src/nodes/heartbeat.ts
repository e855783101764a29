import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'
import { beat, databaseNow, leaveNodes, type NodeIdentity } from '../store/presence.ts'

export const BEAT_EVERY_MS = 2000

type Deps = {
  db: Db
  node: NodeIdentity
  log: Logger
  now: () => Date
  /** Another process has this node's name: it was started while this one could not be reached. */
  onReplaced: () => void
}

/** Tells the other nodes that this one is there, and keeps the clock that leases are measured by: that of the database. */
export async function createHeartbeat({ db, node, log, now, onReplaced }: Deps) {
  let aheadMs = 0
  await readClock()

  async function readClock(): Promise<void> {
    const asked = now().getTime()
    const theirs = (await databaseNow(db)).getTime()
    aheadMs = theirs - (asked + now().getTime()) / 2
  }

  async function run(): Promise<void> {
    await readClock()
    if (await db.transaction(async (tx) => await beat(tx, node))) return
    log.fatal({ node: node.name }, 'Another process has the name of this node; this one ends')
    onReplaced()
  }

  async function leave(): Promise<void> {
    await db.transaction(async (tx) => await leaveNodes(tx, node))
  }

  return { run, leave, databaseNow: () => new Date(now().getTime() + aheadMs) }
}
