import type { Db } from '../../store/database.ts'
import { insertOrder, type Order, ordersOf } from './orders-store.ts'

/** Authorities count the orders of the whole account: Let's Encrypt allows 300 in three hours. */
const ACCOUNT_MS = 3 * 3_600_000
const ORDERS_PER_OWNER = 60
/** They also count the new certificates of each registered domain: Let's Encrypt allows 50 in a week. */
const DOMAIN_MS = 7 * 24 * 3_600_000
const HOSTS_PER_MEMBER = 15
/** The many hosts that wait for the next order must not all try again every second, even if it is possible soon. */
const LEAST_WAIT_MS = 10 * 60_000

const OVER_ACCOUNT =
  'This certificate waits: certificates for 60 of your domains were ordered in the last three hours, and the limit of the certificate authority is shared by everybody on this server. Berth orders it by itself when it is its turn.'

function overDomain(base: string): string {
  return `This certificate waits: certificates for 15 of your domains below ${base} were ordered in the last week, and the limit of the certificate authority for ${base} is shared by everybody on this server. Berth orders it by itself when it is its turn.`
}

/** Why an order has to wait, and when to ask again. */
export type OverBudget = { readonly reason: string; readonly until: Date }

type Deps = {
  db: Db
  now: () => Date
  /** The name above a host that this owner shares with others, which therefore limits them. */
  sharedName: (host: string, ownerId: number) => Promise<string | undefined>
  limits?: { orders: number; hosts: number }
}

const LIMITS = { orders: ORDERS_PER_OWNER, hosts: HOSTS_PER_MEMBER }

/** How many certificates the hosts of one owner may order. Stored, so that a restart or another node does not start counting from zero. */
export function createOrderBudget({ db, now, sharedName, limits = LIMITS }: Deps) {
  /** Counts an order. If there were too many, nothing is counted. The platform's own hosts have no owner. */
  async function take(host: string, ownerId: number | undefined): Promise<OverBudget | undefined> {
    if (ownerId === undefined) return undefined
    const shared = await sharedName(host, ownerId)
    const at = now()
    return await db.transaction(async (tx) => {
      const orders = await ordersOf(tx, ownerId, new Date(at.getTime() - DOMAIN_MS))
      const over = overAccount(orders, at) ?? (shared === undefined ? undefined : overShared(orders, { host, shared }))
      if (over) return { ...over, until: new Date(Math.max(over.until.getTime(), at.getTime() + LEAST_WAIT_MS)) }
      await insertOrder(tx, { ownerId, host, at })
      return undefined
    })
  }

  function overAccount(orders: readonly Order[], at: Date): OverBudget | undefined {
    const recent = orders.filter((order) => order.at > at.getTime() - ACCOUNT_MS)
    const first = recent[recent.length - limits.orders]
    return first && { reason: OVER_ACCOUNT, until: new Date(first.at + ACCOUNT_MS) }
  }

  /** Another order for a host that was counted is not a new certificate to the authority. */
  function overShared(orders: readonly Order[], { host, shared }: { host: string; shared: string }): OverBudget | undefined {
    const below = orders.filter((order) => order.host.endsWith(`.${shared}`))
    const latest = new Map(below.map((order) => [order.host, order.at]))
    if (latest.has(host)) return undefined
    const times = [...latest.values()].toSorted((a, b) => a - b)
    const first = times[times.length - limits.hosts]
    return first === undefined ? undefined : { reason: overDomain(shared), until: new Date(first + DOMAIN_MS) }
  }

  return { take }
}

export type OrderBudget = ReturnType<typeof createOrderBudget>
