import { type FastifyInstance, fastify } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { headOf, openConnection, type RawConnection } from '../../testing/harness/raw-connection.ts'
import type { Caller } from '../domain/caller.ts'
import { failureOf } from './error-handler.ts'
import { createFairTurns } from './fair-turns.ts'
import { createBodyParsers } from './read-body.ts'

const MIB = 1024 * 1024
const SMALL = { name: 'small' }
const LARGE = { name: 'x'.repeat(20_000) }

let app: FastifyInstance
let address: string
let open: RawConnection[] = []

beforeEach(async () => {
  app = fastify({ forceCloseConnections: true })
  app.decorateRequest('caller', undefined)
  app.setErrorHandler((error, _request, reply) => reply.code(failureOf(error).status).send(failureOf(error).body))
  app.addHook('onRequest', async (request) => {
    const [role, id] = String(request.headers['x-caller'] ?? '').split(' ')
    if (id !== undefined) request.caller = { role, id: Number(id) } as Caller // the fields that count
  })
  createBodyParsers({ bodyDeadlineMs: 3_600_000, bodyPaceMs: 3_600_000 }, createFairTurns()).forJson(app)
  app.post('/', async () => 'taken')
  address = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  for (const { socket } of open) socket.destroy()
  open = []
  await app.close()
})

/** Sends all of a body but its last byte, from so many connections. */
async function hold(count: number, bytes: number, headersOf: (n: number) => Record<string, string>): Promise<RawConnection[]> {
  const made = await Promise.all(Array.from({ length: count }, async () => await openConnection(address)))
  open.push(...made)
  for (const [n, { socket }] of made.entries()) socket.write(headOf('/', bytes, headersOf(n)) + ' '.repeat(bytes - 1))
  return made
}
async function post(body: object, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await answer.text()
  return answer.status
}
function refused(all: readonly RawConnection[]): number {
  return all.filter(({ answer }) => answer().includes('server_busy')).length
}

it('large bodies of users keep out those of other users, no small ones, and none of the owner and admins', async () => {
  await hold(64, MIB, (n) => ({ 'X-Caller': `user ${n % 8}` }))
  await expect.poll(async () => await post(LARGE, { 'x-caller': 'user 100' }), { timeout: 20_000 }).toBe(503)
  expect(await post(SMALL, { 'x-caller': 'user 100' })).toBe(200)
  for (const who of ['owner 101', 'admin 102'])
    expect([await post(SMALL, { 'x-caller': who }), await post(LARGE, { 'x-caller': who })]).toEqual([200, 200])
})

it('small bodies of one person and of one address are so many, and those of many others keep nobody out', async () => {
  const all = await hold(140, 16_000, () => ({ 'X-Caller': 'user 1' }))
  await expect.poll(() => refused(all), { timeout: 20_000 }).toBeGreaterThan(0)
  const strangers = await hold(600, 16_000, (n) => ({ 'X-Forwarded-For': `203.0.113.${n % 60}` }))
  await expect.poll(() => strangers.every(({ socket }) => socket.writableLength === 0), { timeout: 20_000 }).toBe(true)
  expect(await post(SMALL, { 'x-forwarded-for': '198.51.100.1' })).toBe(200)
  expect(refused(strangers)).toBe(0)
})

it('all the addresses of one network of IPv6 count as one', async () => {
  const all = await hold(90, 16_000, (n) => ({ 'X-Forwarded-For': `2001:db8::${n + 1}` }))
  await expect.poll(() => refused(all), { timeout: 20_000 }).toBeGreaterThan(0)
})
