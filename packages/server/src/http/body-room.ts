import type { FastifyRequest } from 'fastify'
import { type BudgetLimits, createByteBudget } from './byte-budget.ts'

const MIB = 1024 * 1024

type RoomLimits = { smallBytes: number; small: BudgetLimits; large: BudgetLimits }

/**
 * How many bytes of bodies may be in transit at once, in total and per address or person. Large bodies have a separate budget, so that
 * they cannot block logins, ordinary deliveries or ordinary changes. The small bodies of all connections together fit into theirs, so
 * nobody can exhaust it: there are at most 2,048 anonymous connections and 4,096 in total. Anonymous clients together hold at most 74
 * MiB.
 */
const SMALL_BYTES = 16 * 1024
export const STRANGERS: RoomLimits = {
  smallBytes: SMALL_BYTES,
  small: { all: 32 * MIB, perKey: MIB },
  large: { all: 8 * MIB, perKey: 2 * MIB },
}
export const DELIVERIES: RoomLimits = {
  smallBytes: MIB,
  small: { all: 8 * MIB, perKey: 2 * MIB },
  large: { all: 26 * MIB, perKey: 26 * MIB }, // one body of the maximum size
}
export const USERS: RoomLimits = {
  smallBytes: SMALL_BYTES,
  small: { all: 64 * MIB, perKey: 2 * MIB },
  large: { all: 32 * MIB, perKey: 4 * MIB },
}
/** For the owner and admins, so that users cannot block them. */
export const STAFF: RoomLimits = { ...USERS, large: { all: 16 * MIB, perKey: 4 * MIB } }

/** The budget of a body, by its Content-Length. A body without one may be large. */
export function createRoom({ smallBytes, ...limits }: RoomLimits) {
  const small = createByteBudget(limits.small)
  const large = createByteBudget(limits.large)
  return ({ headers }: FastifyRequest) => (Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= smallBytes ? small : large)
}
export type Room = ReturnType<typeof createRoom>
