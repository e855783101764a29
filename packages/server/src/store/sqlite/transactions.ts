import type { Kysely } from 'kysely'
import type { Db, Tx } from '../database.ts'
import type { Schema } from '../schema.ts'
import { DiskFull, isStorageFailure } from '../storage-failure.ts'
import type { Reserve } from './reserve.ts'
import type { createWriteGate } from './write-gate.ts'

type Deps = {
  writer: Kysely<Schema>
  reserve: Pick<Reserve, 'lend'>
  gate: ReturnType<typeof createWriteGate>
}
type Work<Result> = (tx: Tx) => Promise<Result>

/** Enough for nearly everything that frees space. */
const SMALL_LOAN = 4 * 1024 * 1024
/** What stays of the reserve if work may only use a part of it. */
const KEPT = 8 * 1024 * 1024

/** The only way to write. On a full disk ordinary work is refused, and work that frees space gets the reserve. */
export function createTransactions({ writer, reserve, gate }: Deps): Db['transaction'] {
  async function attempt<Result>(work: Work<Result>): Promise<Result> {
    try {
      return await writer.transaction().execute(work)
    } catch (cause) {
      if (isStorageFailure(cause)) gate.close()
      throw cause
    }
  }

  async function unlessFull<Result>(work: Work<Result>): Promise<{ result: Result } | undefined> {
    try {
      return { result: await attempt(work) }
    } catch (cause) {
      if (isStorageFailure(cause)) return undefined
      throw cause
    }
  }

  /**
   * A little space is freed right before the commit, where almost all writing to the disk happens: other processes want those blocks too.
   */
  async function withReserve<Result>(work: Work<Result>, kept: number): Promise<Result> {
    const done =
      (await unlessFull(work)) ??
      (await unlessFull(async (tx) => {
        const result = await work(tx)
        reserve.lend({ bytes: SMALL_LOAN, kept })
        return result
      }))
    if (done) return done.result
    return await attempt(async (tx) => {
      reserve.lend({ kept })
      return await work(tx)
    })
  }

  return async (work, options = {}) => {
    if (options.mayUseReserve) return await withReserve(work, options.mayUseReserve === 'part' ? KEPT : 0)
    if (!gate.isOpen()) throw new DiskFull()
    return await attempt(work)
  }
}
