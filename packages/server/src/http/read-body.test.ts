import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { headOf, openConnection, type RawConnection } from '../../testing/harness/raw-connection.ts'
import { AppError } from '../lib/app-error.ts'
import { createByteBudget } from './byte-budget.ts'
import { readBody } from './read-body.ts'

const LIMITS = { all: 100, perKey: 60 }
const DEADLINES = { bodyDeadlineMs: 60_000, bodyPaceMs: 30_000 }

let budget = createByteBudget(LIMITS)
let options = { ...DEADLINES, limitBytes: 50 }
let reading: Promise<string>[] = []
const server = createServer((request, response) => {
  const outcome = readBody(request, { ...options, budget, key: keyOf(request), turn: async () => undefined }).then(
    (body) => body.toString(),
    (cause: unknown) => (cause instanceof AppError ? cause.code : String(cause)),
  )
  reading.push(outcome)
  void outcome.then((text) => response.end(text))
})
let open: RawConnection[] = []

beforeEach(async () => {
  budget = createByteBudget(LIMITS)
  options = { ...DEADLINES, limitBytes: 50 }
  reading = []
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const { socket } of open) socket.destroy()
  open = []
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function keyOf(request: IncomingMessage): string {
  return String(request.headers['x-key'] ?? '')
}
/** Sends the head and a part of the body, and gives the connection once the server reads. */
async function post(declared: number, part: string, key = 'a'): Promise<RawConnection> {
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const connection = await openConnection(`http://127.0.0.1:${port}`)
  open.push(connection)
  connection.socket.write(headOf('/', declared, { 'X-Key': key }) + part)
  return connection
}
async function outcomeOf(n: number): Promise<string | undefined> {
  await expect.poll(() => reading.length, { timeout: 10_000 }).toBeGreaterThan(n)
  return await reading[n]
}
/** Whether that many bytes are in the budget of a key now. */
async function expectHeld(key: string, bytes: number): Promise<void> {
  await expect
    .poll(
      () => {
        const hasRoom = budget.take(key, LIMITS.perKey - bytes)
        if (hasRoom) budget.giveBack(key, LIMITS.perKey - bytes)
        const hasMore = budget.take(key, LIMITS.perKey - bytes + 1)
        if (hasMore) budget.giveBack(key, LIMITS.perKey - bytes + 1)
        return hasRoom && !hasMore
      },
      { timeout: 10_000 },
    )
    .toBe(true)
}

describe('a body', () => {
  it('of more pieces than are kept apart is read whole', async () => {
    options = { ...options, limitBytes: 5000 }
    budget = createByteBudget({ all: 5000, perKey: 5000 })
    const { port } = server.address() as AddressInfo // a listening TCP server has one
    const { socket } = await openConnection(`http://127.0.0.1:${port}`)
    const letters = Array.from({ length: 1000 }, (_, n) => String(n % 10))
    const chunks = letters.map((letter) => `1\r\n${letter}\r\n`).join('')
    socket.write(`POST / HTTP/1.1\r\nHost: berth.test\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
    expect(await outcomeOf(0)).toBe(letters.join(''))
    socket.destroy()
  })

  it('is read whole, in however many pieces it comes', async () => {
    const { socket } = await post(6, 'ab')
    await expectHeld('a', 2)
    socket.write('cd')
    await expectHeld('a', 4)
    socket.write('ef')
    expect(await outcomeOf(0)).toBe('abcdef')
    await expectHeld('a', 0)
  })

  it('with a too large Content-Length is refused at once, and one that grows too large is abandoned', async () => {
    await post(51, '')
    expect(await outcomeOf(0)).toBe('body_too_large')
    const { socket } = await post(0, '')
    expect(await outcomeOf(1)).toBe('')
    const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nX-Key: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    socket.write(`${chunked}28\r\n${'x'.repeat(40)}\r\n28\r\n${'x'.repeat(40)}\r\n`)
    expect(await outcomeOf(2)).toBe('body_too_large')
    await expectHeld('a', 0)
  })

  it('counts while it is waited for, against its own key and against all', async () => {
    const { socket } = await post(50, 'x'.repeat(40))
    await expectHeld('a', 40)
    await post(50, 'x'.repeat(40))
    expect(await outcomeOf(1)).toBe('server_busy')
    await post(50, 'x'.repeat(49), 'b')
    await expectHeld('b', 49)
    await post(50, 'x'.repeat(40), 'c')
    expect(await outcomeOf(3)).toBe('server_busy')
    socket.write('x'.repeat(10))
    expect(await outcomeOf(0)).toBe('x'.repeat(50))
  })

  it('releases its budget when its sender disconnects', async () => {
    const { socket } = await post(50, 'x'.repeat(40))
    await expectHeld('a', 40)
    socket.destroy()
    expect(await outcomeOf(0)).toBe('invalid_request')
    await expectHeld('a', 0)
  })

  it('that arrives too slowly is refused, and so is one that never ends', async () => {
    options = { bodyPaceMs: 50, bodyDeadlineMs: 60_000, limitBytes: 1_000_000 }
    budget = createByteBudget({ all: 1_000_000, perKey: 1_000_000 })
    await post(1000, 'x')
    expect(await outcomeOf(0)).toBe('body_too_slow')
    options = { ...options, bodyDeadlineMs: 500 }
    const { socket } = await post(1_000_000, 'x')
    const flowing = setInterval(() => socket.write('x'.repeat(1000)), 10)
    expect(await outcomeOf(1)).toBe('body_too_slow')
    clearInterval(flowing)
  })
})
