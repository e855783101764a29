import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { probePath } from './probes.ts'

/** A server that answers every connection with these bytes and hangs up. */
async function answering(bytes: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(bytes))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server has one
  return { url: `http://127.0.0.1:${port}/health`, [Symbol.dispose]: () => server.close() }
}
const probe = async (bytes: string) => {
  using server = await answering(bytes)
  return await probePath(server.url, AbortSignal.timeout(20_000))
}

const BODY = 'a'.repeat(65_536)

it.each([200, 204, 301, 399])('a response of %i is healthy', async (status) => {
  expect(await probe(`HTTP/1.1 ${status} X\r\n\r\n${BODY}`)).toEqual({ healthy: true })
})

it.each([400, 401, 407, 408, 421, 426, 500, 599])('a response of %i is not, however long its body is, and repeatedly', async (status) => {
  for (let times = 0; times < 20; times += 1)
    expect(await probe(`HTTP/1.1 ${status} X\r\n\r\n${BODY}`)).toEqual({
      healthy: false,
      reason: `the health check path answered ${status}`,
    })
  await new Promise((done) => setTimeout(done, 50)) // what a socket throws after its end would fail this run
})

it.each([
  ['nothing', ''],
  ['no HTTP', 'SSH-2.0-x\r\n'],
  ['an endless head', `HTTP/1.1 200 OK\r\n${`X-A: ${'b'.repeat(1000)}\r\n`.repeat(200)}`],
  ['half a head', 'HTTP/1.1 200 OK\r\nX-A'],
])('%s is no answer', async (_what, bytes) => {
  expect(await probe(bytes)).toMatchObject({ healthy: false })
})

it('an unrequested upgrade counts as a response', async () => {
  expect(await probe('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')).toMatchObject({ healthy: false })
})

it('interim responses come before the response', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'
  expect(await probe(`${interim}HTTP/1.1 204 X\r\n\r\n`)).toEqual({ healthy: true })
})

it('an app that sends interim responses for ever is left after a few of them', async () => {
  expect(await probe('HTTP/1.1 102 P\r\n\r\n'.repeat(100_000))).toEqual({
    healthy: false,
    reason: 'the health check path sends interim responses (1xx) without end',
  })
})
