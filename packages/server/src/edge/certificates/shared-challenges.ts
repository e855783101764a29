import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../store/database.ts'
import { type Edge, type EdgeLog, EdgeUnavailable } from '../edge.ts'
import { deleteChallenge, insertChallenge, listChallenges, nodesWithout, noteSeen } from './challenges-store.ts'

type Deps = {
  db: Db
  /** Of this run of this node. */
  bootId: string
  edge: Pick<Edge, 'addChallenge' | 'removeChallenge'>
  log: EdgeLog
  now: () => Date
  /** How long the other nodes have. One that is slower may not be asked by the authority at all. */
  withinMs?: number
}

const LOOK_EVERY_MS = 200

/** Challenges that the edges of all nodes answer: the authority may ask any of them. */
export function createSharedChallenges({ db, bootId, edge, log, now, withinMs = 15_000 }: Deps) {
  /** Of other nodes, at our edge. */
  const others = new Set<string>()
  const own = new Set<string>()
  let seen = 0

  /** Resolves when every living node answers it. */
  async function addChallenge(token: string, answer: string): Promise<void> {
    own.add(token)
    try {
      await edge.addChallenge(token, answer)
      const id = await db.transaction(async (tx) => await insertChallenge(tx, { token, answer, at: now() }))
      await untilAnswered(id)
    } catch (cause) {
      own.delete(token)
      throw cause
    }
  }

  async function untilAnswered(id: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs
    for (;;) {
      const without = await nodesWithout(db, bootId, id)
      if (without.length === 0) return
      if (performance.now() > giveUpAt) return log.warn({ nodes: without }, 'Challenge not answered by the edges of all nodes')
      await sleep(LOOK_EVERY_MS)
    }
  }

  async function removeChallenge(token: string): Promise<void> {
    own.delete(token)
    try {
      await edge.removeChallenge(token)
    } finally {
      await db.transaction(async (tx) => await deleteChallenge(tx, token))
    }
  }

  /** Answers the challenges of other nodes, and tells them so. */
  async function follow(): Promise<void> {
    const wanted = await listChallenges(db)
    const theirs = wanted.filter(({ token }) => !own.has(token))
    const tokens = new Set(theirs.map(({ token }) => token))
    const added = theirs.filter(({ token }) => !others.has(token))
    try {
      await Promise.all(added.map(async ({ token, answer }) => await edge.addChallenge(token, answer)))
    } catch (cause) {
      if (cause instanceof EdgeUnavailable) return // nobody is told that this edge answers
      throw cause
    }
    for (const { token } of added) others.add(token)
    const last = Math.max(seen, ...wanted.map(({ id }) => id))
    if (last > seen) await db.transaction(async (tx) => await noteSeen(tx, bootId, last))
    seen = last
    for (const token of others) {
      if (tokens.has(token)) continue
      others.delete(token)
      await edge.removeChallenge(token)
    }
  }

  return { addChallenge, removeChallenge, follow }
}
