import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isStaff } from '../domain/caller.ts'
import { AppError } from '../lib/app-error.ts'
import { type BudgetLimits, createByteBudget } from './byte-budget.ts'
import { addressGroup } from './connections.ts'
import type { FairTurns } from './fair-turns.ts'
import { type BodyDeadlines, readBody } from './read-body.ts'
import { originOf } from './security.ts'

const MIB = 1024 * 1024

type RoomLimits = { smallBytes: number; small: BudgetLimits; large: BudgetLimits }

/**
 * How many bytes of bodies may be in transit at once, in total and per address or person. Large bodies have a separate budget, so that
 * they cannot block logins, ordinary deliveries or ordinary changes. The small bodies of all connections together fit into theirs, so
 * nobody can exhaust it: there are at most 2,048 anonymous connections and 4,096 in total. Anonymous clients together hold at most 74
 * MiB.
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
  large: { all: 26 * MIB, perKey: 26 * MIB }, // one body of the maximum size
}
const USERS: RoomLimits = {
  smallBytes: SMALL_BYTES,
  small: { all: 64 * MIB, perKey: 2 * MIB },
  large: { all: 32 * MIB, perKey: 4 * MIB },
}
/** For the owner and admins, so that users cannot block them. */
const STAFF: RoomLimits = { ...USERS, large: { all: 16 * MIB, perKey: 4 * MIB } }

/**
 * Our own parsers, because the library's only limit the size. Bodies are JSON; those of webhook deliveries stay bytes, because the
 * signature covers the bytes.
 */
export function createBodyParsers(deadlines: BodyDeadlines, turns: FairTurns) {
  const users = createRoom(USERS)
  const staff = createRoom(STAFF)
  const strangers = createRoom(STRANGERS)
  const deliveries = createRoom(DELIVERIES)

  async function read(request: FastifyRequest, ofStrangers: Room): Promise<Buffer> {
    const { caller } = request
    const limitBytes = request.routeOptions.bodyLimit
    const room = caller ? (isStaff(caller) ? staff : users) : ofStrangers
    const key = caller ? String(caller.id) : addressOf(request)
    const turn = async (bytes: number) => caller && (await turns.begin(caller.id, bytes))
    return await readBody(request.raw, { ...deadlines, budget: room(request), key, limitBytes, turn })
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

/** The budget of a body, by its Content-Length. A body without one may be large. */
function createRoom({ smallBytes, ...limits }: RoomLimits) {
  const small = createByteBudget(limits.small)
  const large = createByteBudget(limits.large)
  return ({ headers }: FastifyRequest) => (Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= smallBytes ? small : large)
}
type Room = ReturnType<typeof createRoom>

/** Somebody with one IPv6 address usually has many. */
function addressOf(request: FastifyRequest): string {
  const { address } = originOf(request.raw, request.id)
  return addressGroup(address) ?? address
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) // the input reader only takes known fields, so `__proto__` is harmless
  } catch (cause) {
    throw new AppError('invalid_json', { cause })
  }
}
