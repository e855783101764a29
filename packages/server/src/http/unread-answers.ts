import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isStaff } from '../domain/caller.ts'
import { AppError } from '../lib/app-error.ts'
import { createByteBudget } from './byte-budget.ts'
import { originOf } from './security.ts'

const MIB = 1024 * 1024
const PIECE_BYTES = 64 * 1024
/** The limit of unsent responses. Users together cannot block the owner and admins. */
const LIMITS = {
  users: { all: 96 * MIB, perKey: 24 * MIB },
  staff: { all: 48 * MIB, perKey: 24 * MIB },
}
const TOO_MUCH = 'Too many large responses are still being sent. Read those first, or request less.'

/**
 * A response is in memory until its client has read it. Small ones are limited by the number of connections, each with one response at a
 * time; large ones count against a budget. They are sent in chunks, so that we can see whether they are being read. Streams are only read
 * as fast as the client reads, and a buffer is shared by all its recipients.
 */
export function addAnswerLimit(app: FastifyInstance, limits: typeof LIMITS = LIMITS): void {
  const users = createByteBudget(limits.users)
  const staff = createByteBudget(limits.staff)

  app.addHook('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string'
    if (request.method === 'HEAD' || reply.raw.destroyed || (!isText && !Buffer.isBuffer(payload))) return done(null, payload)
    if (payload.length <= PIECE_BYTES) return done(null, payload)
    if (isText) {
      const key = keyOf(request)
      const budget = request.caller && isStaff(request.caller) ? staff : users
      const size = Buffer.byteLength(payload)
      if (!budget.take(key, size)) return done(new AppError('server_busy', { message: TOO_MUCH }))
      reply.raw.once('close', () => budget.giveBack(key, size))
    }
    const bytes = isText ? Buffer.from(payload) : payload // after the check, so that a refused response is not copied
    void reply.header('content-length', bytes.length)
    done(null, Readable.from(piecesOf(bytes), { objectMode: false }))
  })
}

function keyOf({ caller, raw, id }: FastifyRequest): string {
  return caller ? String(caller.id) : originOf(raw, id).address
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/**
 * Returns a function that checks all connections, and closes those whose client has read nothing of its pending response since the last
 * check.
 */
export function closeUnread(server: Server): () => void {
  const sockets = new Set<Socket>()
  const takenBefore = new WeakMap<Socket, number>() // of connections with a pending response at the last check
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  function look(socket: Socket): void {
    const taken = socket.bytesWritten - socket.writableLength
    const before = takenBefore.get(socket)
    if (socket.writableLength === 0) takenBefore.delete(socket)
    else if (taken === before) socket.destroy()
    else takenBefore.set(socket, taken)
  }
  return () => {
    for (const socket of sockets) look(socket)
  }
}
