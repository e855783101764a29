import { AsyncLocalStorage } from 'node:async_hooks'
import type { Step } from '../lib/step.ts'
import type { Db, Reader } from '../store/database.ts'

/** The work was taken over by another process, or may have been: this one must not change anything on its behalf any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor(what: string) {
    super(`the lease of ${what} was lost`)
  }
}

/** Who works, in the async context of that work. */
export type HeldLease = {
  readonly what: string
  isHeld: (db: Reader) => Promise<boolean>
  /** Ends the work. */
  lose: (cause: LeaseLost) => void
}

/**
 * Keeps a process that was paused from changing anything once its work belongs to another one (docs/decisions/0016). Whatever runs
 * inside `run` checks the lease: each transaction within itself, and everything else just before.
 */
export function createFence(reader: Reader) {
  const held = new AsyncLocalStorage<HeldLease>()

  async function checkIn(db: Reader): Promise<void> {
    const lease = held.getStore()
    if (lease === undefined || (await lease.isHeld(db))) return
    const cause = new LeaseLost(lease.what)
    lease.lose(cause)
    throw cause
  }

  const check = async (): Promise<void> => await checkIn(reader)

  function guardDb(db: Db): Db {
    const transaction: Db['transaction'] = async (work, options) =>
      await db.transaction(async (tx) => {
        await checkIn(tx)
        return await work(tx)
      }, options)
    return { ...db, transaction }
  }

  function guardStep(step: Step): Step {
    return async (name, effect) =>
      await step(name, async () => {
        await check()
        return await effect()
      })
  }

  return {
    check,
    guardDb,
    guardStep,
    run: async <Result>(lease: HeldLease, work: () => Promise<Result>): Promise<Result> => await held.run(lease, work),
  }
}

export type Fence = ReturnType<typeof createFence>
