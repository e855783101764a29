import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'
import { lostNodes, noteEdgeStopped } from '../store/presence.ts'

export const LOST_EDGES_EVERY_MS = 2000
/** A container that was stopped starts again with the engine. */
const AGAIN_AFTER_MS = 30_000

type Deps = {
  db: Db
  bootId: string
  /** Stops the edge of the node with this name. One that is not there counts as stopped. */
  stopEdge: (name: string) => Promise<void>
  log: Pick<Logger, 'warn'>
}

/**
 * Nobody updates the edge of a node that is gone, so its routes become wrong with the next deployment. Any node that is there stops it; from
 * then on the others do not wait for it. A node that comes back starts its edge again, with the routes of that moment.
 */
export function createStopLostEdges({ db, bootId, stopEdge, log }: Deps) {
  let doneAt = Number.NEGATIVE_INFINITY

  return async function stopLostEdges(): Promise<void> {
    const isAgain = performance.now() - doneAt > AGAIN_AFTER_MS
    const found = await lostNodes(db, { except: bootId, isAgain })
    if (isAgain) doneAt = performance.now()
    if (found.length === 0) return
    // in a transaction, because a heartbeat that had to wait for its turn is written before it
    const lost = await db.transaction(async (tx) => await lostNodes(tx, { except: bootId, isAgain }))
    for (const node of lost) {
      await stopEdge(node.name)
      if (node.edge_stopped === 1) continue
      log.warn({ node: node.name }, 'A node is gone; its proxy was stopped')
      await db.transaction(async (tx) => await noteEdgeStopped(tx, node))
    }
  }
}
