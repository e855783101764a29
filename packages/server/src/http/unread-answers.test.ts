import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openConnection, type RawConnection } from '../../testing/harness/raw-connection.ts'
import type { Caller } from '../domain/caller.ts'
import { failureOf } from './error-handler.ts'
import { addAnswerLimit, closeUnread } from './unread-answers.ts'

const MIB = 1024 * 1024
const LIMITS = { users: { all: 60 * MIB, perKey: 30 * MIB }, staff: { all: 30 * MIB, perKey: 30 * MIB } }
const shared = Buffer.alloc(20 * MIB, 'x')
const text = '⛵'.repeat((20 * MIB) / 3)

let app: FastifyInstance
let address: string
let open: RawConnection[] = []
let look = () => {}
let accepted: Socket[] = []

beforeEach(async () => {
  app = fastify({
    forceCloseConnections: true,
    serverFactory: (handle) => {
      const server = createServer(handle)
      look = closeUnread(server)
      accepted = []
      server.on('connection', (socket: Socket) => accepted.push(socket))
      return server
    },
  })
  app.setErrorHandler((error, _request, reply) => reply.code(failureOf(error).status).send(failureOf(error).body))
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async (request) => {
    const [role, id] = String(request.headers['x-caller']).split(' ')
    request.caller = { role, id: Number(id) } as Caller // the fields that count
  })
  addAnswerLimit(app, LIMITS)
  app.get('/text', async () => text)
  app.get('/shared', async () => shared)
  app.get('/small', async () => 'small')
  address = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  for (const { socket } of open) socket.destroy()
  open = []
  await app.close()
})

/** Asks and reads no more than the beginning. */
async function ask(path: string, caller = 'user 1'): Promise<{ connection: RawConnection; status: string }> {
  const connection = await openConnection(address)
  open.push(connection)
  connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Caller: ${caller}\r\n\r\n`)
  const status = (await connection.answered).slice(9, 12)
  connection.socket.pause()
  return { connection, status }
}
async function read(path: string, caller = 'user 1'): Promise<{ status: number; length: string | null; body: string }> {
  const answer = await fetch(address + path, { headers: { 'x-caller': caller } })
  return { status: answer.status, length: answer.headers.get('content-length'), body: await answer.text() }
}

it('a large answer arrives whole, with its length', async () => {
  for (const path of ['/text', '/shared']) {
    const { status, length, body } = await read(path)
    expect([status, length, Buffer.byteLength(body)]).toEqual([200, String(Buffer.byteLength(body)), Number(length)])
  }
  expect((await fetch(`${address}/text`, { method: 'HEAD' })).headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
})

it('large answers that are not read are so many of one person and of all users, and the owner still has one', async () => {
  const first = await ask('/text', 'user 1')
  expect(first.status).toBe('200')
  expect(await read('/text', 'user 1')).toMatchObject({ status: 503, body: expect.stringContaining('still being sent') })
  expect((await read('/small', 'user 1')).body).toBe('small')
  expect([(await ask('/text', 'user 2')).status, (await ask('/text', 'user 3')).status]).toEqual(['200', '200'])
  expect((await read('/text', 'user 4')).status).toBe(503)
  expect((await read('/text', 'owner 5')).status).toBe(200)
  expect((await read('/shared', 'user 1')).status).toBe(200)
  first.connection.socket.destroy()
  await expect.poll(async () => (await read('/text', 'user 4')).status, { timeout: 20_000 }).toBe(200)
})

it.each(['/text', '/shared'])('whoever took nothing of %s since the last look is closed, and whoever took some is not', async (path) => {
  const { connection: deaf } = await ask(path)
  const { connection: slow } = await ask(path, 'user 2')
  look()
  const taken = () => (accepted[1]?.bytesWritten ?? 0) - (accepted[1]?.writableLength ?? 0)
  const before = taken()
  slow.socket.resume()
  await expect.poll(taken, { timeout: 20_000, interval: 1 }).toBeGreaterThan(before)
  slow.socket.pause()
  look()
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, false])
  slow.socket.resume()
  await expect.poll(() => slow.socket.bytesRead, { timeout: 20_000 }).toBeGreaterThan(20 * MIB - 3)
  look()
  look()
  slow.socket.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => slow.answer().endsWith('small'), { timeout: 20_000, interval: 500 }).toBe(true)
  deaf.socket.resume()
  await deaf.closed
  expect(deaf.socket.bytesRead).toBeLessThan(20 * MIB)
})
