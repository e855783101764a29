import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'
import { beat, databaseNow, GAP_MS, LOST_MS, leaveNodes, type NodeIdentity } from '../store/presence.ts'

export const BEAT_EVERY_MS = 2000

type Deps = {
  db: Db
  node: NodeIdentity
  log: Logger
  /** Another process has this node's name: it was started while this one could not be reached. */
  onReplaced: () => void
}

/** How long heartbeats have come without a gap, by the clock of the database. */
export type Steady = { readonly since: number; readonly until: number }

export function afterBeat(steady: Steady | undefined, { at, before }: { at: number; before: number }): Steady {
  return { since: steady === undefined || at - before > GAP_MS ? at : steady.since, until: at }
}

export function isLongEnough(steady: Steady | undefined): boolean {
  return steady !== undefined && steady.until - steady.since >= LOST_MS
}

/** Tells the other nodes that this one is there, and keeps the clock that leases are measured by: that of the database. */
export async function createHeartbeat({ db, node, log, onReplaced }: Deps) {
  let clock = await readClock()
  let steady: Steady | undefined
  let thereAt: number | undefined

  /** The time that it had at a moment of this machine's monotonic clock, which nobody sets. */
  async function readClock(): Promise<{ theirs: number; at: number }> {
    const asked = performance.now()
    const theirs = (await databaseNow(db)).getTime()
    return { theirs, at: (asked + performance.now()) / 2 }
  }

  /** `isBack`: from now on this node may start its edge. */
  async function run(): Promise<{ isEdgeStopped: boolean; isBack: boolean }> {
    clock = await readClock()
    const askedAt = performance.now()
    const said = await db.transaction(async (tx) => await beat(tx, node))
    if (said.state === 'replaced') {
      log.fatal({ node: node.name }, 'Another process has the name of this node; this one ends')
      onReplaced()
      return { isEdgeStopped: false, isBack: false }
    }
    steady = afterBeat(steady, said)
    if (said.state === 'edge stopped') thereAt = undefined
    const isBack = said.state === 'there' && !mayStartEdge()
    if (said.state === 'there') thereAt = askedAt
    return { isEdgeStopped: said.state === 'edge stopped', isBack }
  }

  /** Otherwise another node may have stopped the edge, and it must not come back with the routes it had. */
  const mayStartEdge = () => thereAt !== undefined && performance.now() - thereAt < LOST_MS

  /** Whether it has been heard of without a gap for as long as a node may be silent. */
  const isSteady = () => isLongEnough(steady)

  async function leave(): Promise<void> {
    await db.transaction(async (tx) => await leaveNodes(tx, node))
  }

  return { run, leave, isSteady, mayStartEdge, databaseNow: () => new Date(clock.theirs + performance.now() - clock.at) }
}
