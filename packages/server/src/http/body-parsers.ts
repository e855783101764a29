import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isStaff } from '../domain/caller.ts'
import { AppError } from '../lib/app-error.ts'
import { type BudgetLimits, createByteBudget } from './byte-budget.ts'
import { addressGroup } from './connections.ts'
import { type BodyDeadlines, readBody } from './read-body.ts'
import { originOf } from './request-origin.ts'

const MIB = 1024 * 1024

type RoomLimits = { smallBytes: number; small: BudgetLimits; large: BudgetLimits }

/**
 * How much may be on its way at once, in all and from one address or person. What is large has a room of its own, so that it
 * keeps out no login, no ordinary delivery and no ordinary change. The small bodies of all connections together fit into their
 * room, so that nobody can fill it: there are 2,048 of strangers, and 4,096 in all. Strangers together hold at most 74 MiB.
 */
const SMALL_BYTES = 16 * 1024
const STRANGERS: RoomLimits = {
  smallBytes: SMALL_BYTES,
  small: { all: 32 * MIB, perKey: MIB },
  large: { all: 8 * MIB, perKey: 2 * MIB },
}
const DELIVERIES: RoomLimits = {
  smallBytes: MIB,
  small: { all: 8 * MIB, perKey: 2 * MIB },
  large: { all: 26 * MIB, perKey: 26 * MIB }, // one of the largest size
}
const USERS: RoomLimits = {
  smallBytes: SMALL_BYTES,
  small: { all: 64 * MIB, perKey: 2 * MIB },
  large: { all: 32 * MIB, perKey: 4 * MIB },
}
/** The owner and admins: users cannot keep them out. */
const STAFF: RoomLimits = { ...USERS, large: { all: 16 * MIB, perKey: 4 * MIB } }

/** Our own instead of the library's: theirs know a size and nothing else. Bodies are JSON; those of deliveries stay bytes, because a signature is over the bytes. */
export function createBodyParsers(deadlines: BodyDeadlines) {
  const users = createRoom(USERS)
  const staff = createRoom(STAFF)
  const strangers = createRoom(STRANGERS)
  const deliveries = createRoom(DELIVERIES)

  async function read(request: FastifyRequest, ofStrangers: Room): Promise<Buffer> {
    const { caller } = request
    const limitBytes = request.routeOptions.bodyLimit
    const room = caller ? (isStaff(caller) ? staff : users) : ofStrangers
    const key = caller ? String(caller.id) : addressOf(request)
    return await readBody(request.raw, { ...deadlines, budget: room(request), key, limitBytes })
  }

  return {
    forJson(app: FastifyInstance): void {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('application/json', async (request: FastifyRequest) => jsonIn(await read(request, strangers)))
    },
    forDeliveries(app: FastifyInstance): void {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', async (request: FastifyRequest) => await read(request, deliveries))
    },
  }
}

/** The budget that a body counts against, by the length that it says it has. One that says none may be large. */
function createRoom({ smallBytes, ...limits }: RoomLimits) {
  const small = createByteBudget(limits.small)
  const large = createByteBudget(limits.large)
  return ({ headers }: FastifyRequest) => (Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= smallBytes ? small : large)
}
type Room = ReturnType<typeof createRoom>

/** Somebody who has one address of IPv6 has many. */
function addressOf(request: FastifyRequest): string {
  const { address } = originOf(request.raw, request.id)
  return addressGroup(address) ?? address
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) // the input reader takes named fields only, so `__proto__` is a name like any other
  } catch (cause) {
    throw new AppError('invalid_json', { cause })
  }
}
