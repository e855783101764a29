import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { type BudgetLimits, createByteBudget } from './byte-budget.ts'
import { type BodyDeadlines, readBody } from './read-body.ts'
import { originOf } from './request-origin.ts'

const MIB = 1024 * 1024

type RoomLimits = { smallBytes: number; small: BudgetLimits; large: BudgetLimits }

/**
 * How much may be on its way at once, in all and from one address. What is large has a room of its own, so that it keeps out no
 * login and no ordinary delivery. All strangers together hold at most 50 MiB.
 */
const STRANGERS: RoomLimits = {
  smallBytes: 16 * 1024,
  small: { all: 8 * MIB, perKey: MIB },
  large: { all: 8 * MIB, perKey: 2 * MIB },
}
const DELIVERIES: RoomLimits = {
  smallBytes: MIB,
  small: { all: 8 * MIB, perKey: 2 * MIB },
  large: { all: 26 * MIB, perKey: 26 * MIB }, // one of the largest size
}
const PEOPLE: BudgetLimits = { all: 32 * MIB, perKey: 8 * MIB }

/** Our own instead of the library's: theirs know a size and nothing else. Bodies are JSON; those of deliveries stay bytes, because a signature is over the bytes. */
export function createBodyParsers(deadlines: BodyDeadlines) {
  const people = createByteBudget(PEOPLE)
  const strangers = createRoom(STRANGERS)
  const deliveries = createRoom(DELIVERIES)

  async function read(request: FastifyRequest, ofStrangers: Room): Promise<Buffer> {
    const { caller } = request
    const limitBytes = request.routeOptions.bodyLimit
    const counted = caller ? { budget: people, key: String(caller.id) } : { budget: ofStrangers(request), key: addressOf(request) }
    return await readBody(request.raw, { ...deadlines, ...counted, limitBytes })
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

function addressOf(request: FastifyRequest): string {
  return originOf(request.raw, request.id).address
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) // the input reader takes named fields only, so `__proto__` is a name like any other
  } catch (cause) {
    throw new AppError('invalid_json', { cause })
  }
}
