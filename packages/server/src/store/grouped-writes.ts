import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type { Db, Tx } from './database.ts'
import { isStorageFailure } from './storage-failure.ts'

type Work<Result> = (tx: Tx) => Promise<Result>
type Waiting = { work: Work<unknown>; resolve: (result: unknown) => void; reject: (cause: unknown) => void }

/** Other writes wait for a whole group. */
const MOST_AT_ONCE = 16
/** After each commit the disk is waited for, caches are read again and everything that follows changes looks for some. */
const APART_MS = 50

/**
 * What arrives within a moment of another write shares a transaction with what else does: a burst waits for the disk once and not for each.
 * One that comes alone is written at once. Every write is on the disk before it resolves, and one that fails takes no other along. Requests
 * that only read are answered between two writes of a group.
 */
export function createGroupedWrites({ transaction }: Pick<Db, 'transaction'>, { apartMs = APART_MS } = {}) {
  let waiting: Waiting[] = []
  let isWriting = false

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await transaction(async (tx) => {
        const settled: (() => void)[] = []
        for (const [n, each] of group.entries()) {
          if (n > 0) await nextTurn()
          settled.push(await attempt(tx, each))
        }
        return settled
      })
      for (const settle of outcomes) settle()
    } catch (cause) {
      for (const { reject } of group) reject(cause) // nothing of it was written
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true
    await nextTurn() // what was read from the network together is written together
    while (waiting.length > 0) {
      const group = waiting.slice(0, MOST_AT_ONCE)
      waiting = waiting.slice(MOST_AT_ONCE)
      const begin = performance.now()
      await writeGroup(group)
      if (waiting.length < MOST_AT_ONCE) await sleep(Math.max(0, apartMs - (performance.now() - begin)))
    }
    isWriting = false
  }

  return async function inGroup<Result>(work: Work<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.push({ work, resolve, reject })
    if (!isWriting) void writeAll()
    return (await promise) as Result // resolved with what this work gave
  }
}

export type GroupedWrites = ReturnType<typeof createGroupedWrites>

const SAVEPOINT = {
  set: CompiledQuery.raw('savepoint one_of_group'),
  release: CompiledQuery.raw('release one_of_group'),
  rollBack: CompiledQuery.raw('rollback to one_of_group'),
}

/** Gives what to tell its caller once the group is on the disk. After a failure of the disk the whole transaction is void. */
async function attempt(tx: Tx, { work, resolve, reject }: Waiting): Promise<() => void> {
  await tx.executeQuery(SAVEPOINT.set)
  try {
    const result = await work(tx)
    await tx.executeQuery(SAVEPOINT.release)
    return () => resolve(result)
  } catch (cause) {
    if (isStorageFailure(cause)) throw cause
    await tx.executeQuery(SAVEPOINT.rollBack)
    await tx.executeQuery(SAVEPOINT.release)
    return () => reject(cause)
  }
}
