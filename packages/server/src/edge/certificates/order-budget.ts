import type { Db } from '../../store/database.ts'
import { insertOrder, ordersOf } from './orders-store.ts'

/** Authorities count the orders of the whole account: Let's Encrypt allows 300 in three hours. */
const WINDOW_MS = 3 * 3_600_000
const ORDERS_PER_OWNER = 60
/** The many hosts that wait for the next order must not all try again every second, even if it is possible soon. */
const LEAST_WAIT_MS = 10 * 60_000

export const OVER_BUDGET =
  'This certificate waits: certificates for 60 of your domains were ordered in the last three hours, and the limit of the certificate authority is shared by everybody on this server. Berth orders it by itself when it is its turn.'

/** How many certificates the hosts of one owner may order. Stored, so that a restart or another node does not start counting from zero. */
export function createOrderBudget({ db, now, most = ORDERS_PER_OWNER }: { db: Db; now: () => Date; most?: number }) {
  /** Counts an order. If there were too many, nothing is counted, and it says when to ask again. The platform's own hosts have no owner. */
  async function take(ownerId: number | undefined): Promise<Date | undefined> {
    if (ownerId === undefined) return undefined
    const at = now()
    return await db.transaction(async (tx) => {
      const orders = await ordersOf(tx, ownerId, new Date(at.getTime() - WINDOW_MS))
      const oldest = orders[orders.length - most]
      if (oldest !== undefined) return new Date(Math.max(Date.parse(oldest) + WINDOW_MS, at.getTime() + LEAST_WAIT_MS))
      await insertOrder(tx, ownerId, at)
      return undefined
    })
  }

  return { take }
}

export type OrderBudget = ReturnType<typeof createOrderBudget>
