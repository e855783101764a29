import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isStaff } from '../domain/caller.ts'
import { AppError } from '../lib/app-error.ts'
import { createByteBudget } from './byte-budget.ts'
import { originOf } from './request-origin.ts'

const MIB = 1024 * 1024
const PIECE_BYTES = 64 * 1024
/** What may be on its way to clients at once. Users together cannot keep the owner and admins from theirs. */
const LIMITS = {
  users: { all: 96 * MIB, perKey: 24 * MIB },
  staff: { all: 48 * MIB, perKey: 24 * MIB },
}
const TOO_MUCH = 'This answer is too large beside those that are still on their way: read those first, or ask for less.'

/**
 * An answer is in memory until its client has read it. Small ones are bounded by the number of connections, each of which has
 * one answer at a time; large ones count against a budget. They go out in pieces, so that it can be seen whether they are read.
 * Streams are only read as fast as the client reads, and the bytes of a buffer are shared by everybody who is sent them.
 */
export function addAnswerLimit(app: FastifyInstance, limits: typeof LIMITS = LIMITS): void {
  const users = createByteBudget(limits.users)
  const staff = createByteBudget(limits.staff)

  app.addHook('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string'
    if (request.method === 'HEAD' || reply.raw.destroyed || (!isText && !Buffer.isBuffer(payload))) return done(null, payload)
    if (payload.length <= PIECE_BYTES) return done(null, payload)
    const bytes = isText ? Buffer.from(payload) : payload
    if (isText) {
      const key = keyOf(request)
      const budget = request.caller && isStaff(request.caller) ? staff : users
      if (!budget.take(key, bytes.length)) return done(new AppError('server_busy', { message: TOO_MUCH }))
      reply.raw.once('close', () => budget.giveBack(key, bytes.length))
    }
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

/** Gives a look at all connections, which closes those whose client has taken nothing at all of what waits for it since the look before. */
export function closeUnread(server: Server): () => void {
  const sockets = new Set<Socket>()
  const takenBefore = new WeakMap<Socket, number>() // of those for whom something waited at the last look
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
