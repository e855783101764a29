import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'
import { judgeLost, lostNodes, noteEdgeStopped } from '../store/presence.ts'

export const LOST_EDGES_EVERY_MS = 2000
/** A container that was stopped starts again with the engine. */
const AGAIN_AFTER_MS = 30_000

type Deps = {
  db: Db
  bootId: string
  /**
   * Whether this node may say who is gone: it has been heard of without a gap for as long as others may be silent, and visitors can come to its own
   * edge. Otherwise nodes that come back together, after the database was away, would stop the edges of each other.
   */
  mayJudge: () => Promise<boolean>
  /** Stops the edge of the node with this name. One that is not there counts as stopped. */
  stopEdge: (name: string) => Promise<void>
  log: Pick<Logger, 'warn'>
}

/**
 * Nobody updates the edge of a node that is gone, so its routes become wrong with the next deployment. Any node that is there stops it; from
 * then on the others do not wait for it. A node that comes back starts its edge again, with the routes of that moment.
 */
export function createStopLostEdges({ db, bootId, mayJudge, stopEdge, log }: Deps) {
  let doneAt = Number.NEGATIVE_INFINITY

  return async function stopLostEdges(): Promise<void> {
    if (!(await mayJudge())) return
    const isAgain = performance.now() - doneAt > AGAIN_AFTER_MS
    const found = await lostNodes(db, { except: bootId, isAgain })
    if (found.length === 0) return
    const lost = await db.transaction(async (tx) => await judgeLost(tx, { except: bootId, isAgain }))
    for (const { name, edge_stopped } of lost) {
      await stopEdge(name)
      await db.transaction(async (tx) => await noteEdgeStopped(tx, name))
      if (edge_stopped !== 1) log.warn({ node: name }, 'A node is gone; its proxy was stopped')
    }
    if (isAgain) doneAt = performance.now()
  }
}
