import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isStaff } from '../domain/caller.ts'
import { addressGroup } from '../lib/address-group.ts'
import { AppError } from '../lib/app-error.ts'
import { parseForeignJson, TooManyParts } from '../lib/foreign-json.ts'
import { createRoom, DELIVERIES, type Room, STAFF, STRANGERS, USERS } from './body-room.ts'
import type { ByteBudget } from './byte-budget.ts'
import type { FairTurns } from './fair-turns.ts'
import { originOf } from './security.ts'

type BodyDeadlines = { bodyDeadlineMs: number; bodyPaceMs: number }

type Options = BodyDeadlines & {
  limitBytes: number
  /** The budget the bytes count against until all have arrived and may be used. */
  budget: ByteBudget
  key: string
  /** Waits until the body may be used. Until then its bytes count, too. */
  turn: (bytes: number) => Promise<unknown>
}

const PACE_BYTES_PER_SECOND = 1024
/** A piece takes some five hundred bytes of memory besides its own, so small ones are put together. */
const MOST_PIECES = 256

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

/** Somebody with one IPv6 address usually has many. */
function addressOf(request: FastifyRequest): string {
  const { address } = originOf(request.raw, request.id)
  return addressGroup(address) ?? address
}

export function jsonIn(bytes: Buffer): unknown {
  try {
    return parseForeignJson(bytes) // the input reader only takes known fields, so `__proto__` is harmless
  } catch (cause) {
    throw new AppError('invalid_json', cause instanceof TooManyParts ? { message: cause.message, cause } : { cause })
  }
}

/**
 * Reads a body, with a maximum size, a deadline and a minimum rate. The received bytes count against the budget until the rest has
 * arrived.
 */
export async function readBody(request: IncomingMessage, options: Options): Promise<Buffer> {
  const { limitBytes, budget, key } = options
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new AppError('body_too_large')
  const blocks: Buffer[] = []
  const pieces: Buffer[] = []
  let size = 0
  let reserved = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size > limitBytes) return reject(new AppError('body_too_large'))
    if (!budget.take(key, chunk.length)) return reject(new AppError('server_busy'))
    reserved += chunk.length
    pieces.push(chunk)
    if (pieces.length >= MOST_PIECES) blocks.push(Buffer.concat(pieces.splice(0)))
  }
  const onClose = () => {
    if (!request.readableEnded) reject(new AppError('invalid_request', { message: 'The connection ended before the body did.' }))
  }
  const clock = watchPace(options, { size: () => size, onSlow: () => reject(new AppError('body_too_slow')) })
  if (request.destroyed) onClose()
  request.on('data', onData).on('end', resolve).on('error', onClose).on('close', onClose)
  try {
    await promise
    clock.stop()
    await options.turn(size)
    return Buffer.concat([...blocks, ...pieces], size)
  } finally {
    clock.stop()
    request.off('data', onData).off('end', resolve).off('error', onClose).off('close', onClose)
    budget.giveBack(key, reserved)
  }
}

/** Without a minimum rate a client could send single bytes and hold its connection forever. */
function watchPace({ bodyDeadlineMs, bodyPaceMs }: BodyDeadlines, watched: { size: () => number; onSlow: () => void }): { stop(): void } {
  const beganAt = performance.now()
  const leastBytes = (bodyPaceMs / 1000) * PACE_BYTES_PER_SECOND
  let seen = 0
  const look = () => {
    const isLate = performance.now() - beganAt >= bodyDeadlineMs
    if (isLate || watched.size() - seen < leastBytes) return watched.onSlow()
    seen = watched.size()
    timer = setTimeout(look, bodyPaceMs)
  }
  let timer = setTimeout(look, bodyPaceMs)
  return { stop: () => clearTimeout(timer) }
}
