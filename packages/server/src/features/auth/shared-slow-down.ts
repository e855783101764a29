import type { Db } from '../../store/database.ts'
import { deleteLoginDelay, findLoginDelay, putLoginDelay } from './login-delays-store.ts'
import { afterFailure, delayMs, slotIn } from './slow-down.ts'

type Deps = {
  db: Db
  /** The same on all nodes. */
  secret: string
  /** By the clock of the database. */
  now: () => Date
}

/**
 * The delays of several nodes together. An attempt counts as failed from its beginning until its password turns out to be right: otherwise
 * attempts at all nodes at once would each see only the failures before them.
 */
export function createSharedSlowDown({ db, secret, now }: Deps) {
  /** How long to wait before the next question; 0 if the attempt may be checked now. */
  async function takeTurn(slot: number): Promise<number> {
    return await db.transaction(
      async (tx) => {
        const at = now()
        const before = await findLoginDelay(tx, slot)
        const left = delayMs(before, at)
        if (left === 0) await putLoginDelay(tx, slot, afterFailure(before, at))
        return left
      },
      { mayUseReserve: 'part' },
    )
  }

  return {
    slotOf: (name: string) => slotIn(secret, name),
    takeTurn,
    failed: async () => undefined,
    succeeded: async (slot: number) => await db.transaction(async (tx) => await deleteLoginDelay(tx, slot), { mayUseReserve: 'part' }),
  }
}
