import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestEdge, type TestEdge } from '../../../testing/harness/test-edge.ts'
import { createPreflight } from './preflight.ts'

let test: TestEdge
beforeAll(async () => {
  test = await startTestEdge()
  await test.edge.setRoutes({ apps: [] })
})
afterAll(async () => await test[Symbol.asyncDispose]())

/**
 * An address of this machine under which visitors reach it; the server is told that it has another one, as behind a router. Here that
 * address is a private one, so these tests say which are public.
 */
const outside = () =>
  Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find((entry) => entry.family === 'IPv4' && !entry.internal)?.address ?? ''

type Options = { port?: number; own?: string; isPublic?: (address: string) => boolean }
const preflight = (found: readonly string[], { port = test.httpPort, own = '198.51.100.1', isPublic = () => true }: Options = {}) =>
  createPreflight({
    edge: test.edge,
    resolve: async () => [...found],
    addresses: () => [own],
    newToken: randomUUID,
    isPublic,
    port,
    timeoutMs: 2_000,
  })

/** As in the product, where a private address is not public. */
const machine = (address: string) => ({ edge: test.edge, resolve: async () => [address], port: test.httpPort, timeoutMs: 2_000 })

/** Something else than this server, which does with every connection as it is told. */
async function startOther(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    serve(socket)
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { port: address.port, [Symbol.asyncDispose]: stop }
}

/** Never silent for long, and never done. */
function writeOnAndOn(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 50)
  socket.on('close', () => clearInterval(timer))
}

describe('a name that points to an address that this server does not know as its own', () => {
  it('points here when this server answers there', async () => {
    const seen = preflight([outside()])
    expect(await seen.check('shop.example.test')).toEqual({ dnsStatus: 'ok', dnsError: null, found: [outside()] })
    expect(await seen.problem('shop.example.test')).toBeUndefined()
  })

  it('points elsewhere if another server answers, nothing answers, or one of several addresses is not ours', async () => {
    const elsewhere = expect.stringContaining('but this server is 198.51.100.1')
    expect(await preflight([outside()], { port: 1 }).check('shop.example.test')).toMatchObject({ dnsStatus: 'wrong', dnsError: elsewhere })
    expect(await preflight([outside(), '198.51.100.9']).check('shop.example.test')).toMatchObject({
      dnsStatus: 'wrong',
      dnsError: elsewhere,
    })
    expect(await preflight([outside()], { port: 1 }).problem('shop.example.test')).toEqual(elsewhere)
  })

  it.each([
    '127.0.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '10.0.0.7',
    '172.16.0.7',
    '192.168.0.7',
    '100.64.0.7',
    '::ffff:10.0.0.7',
    'fd00::7',
  ])('is never contacted at %s, and its response is not revealed', async (address) => {
    let tokens = 0
    const newToken = () => `token-${(tokens += 1)}`
    const seen = createPreflight({ ...machine(address), addresses: () => ['198.51.100.1'], newToken })
    expect(await seen.problem('shop.example.test')).toContain(`points to ${address}, but this server is 198.51.100.1`)
    expect(await seen.check('shop.example.test')).toMatchObject({ dnsStatus: 'wrong' })
    expect(tokens).toBe(0) // nothing was put up to be asked for
  })

  it('is asked at a private address that is this server’s own', async () => {
    const seen = createPreflight({ ...machine(outside()), addresses: () => [outside()], newToken: randomUUID })
    expect(await seen.problem('shop.example.test')).toBeUndefined()
  })
})

describe('a name with several addresses', () => {
  it('has a problem when this server answers at the first and not at another, which is named', async () => {
    const problem = await preflight([outside(), '198.51.100.9']).problem('shop.example.test')
    expect(problem).toContain('shop.example.test points to 198.51.100.9, but this server is 198.51.100.1')
  })

  // an address of many: no machine connects to it, with IPv6 or without
  const unreachable = 'ff0e::9'

  it('has a problem when one is ours and the other cannot be reached from here', async () => {
    const seen = preflight([outside(), unreachable], { own: outside() })
    expect(await seen.problem('shop.example.test')).toContain(`points to ${unreachable}, but this server is ${outside()}`)
    expect(await seen.check('shop.example.test')).toMatchObject({ dnsStatus: 'wrong' })
  })

  it('has none behind a proxy whose IPv6 address a machine without IPv6 cannot ask', async () => {
    const seen = preflight([outside(), unreachable])
    expect(await seen.problem('shop.example.test')).toBeUndefined()
    expect(await seen.check('shop.example.test')).toMatchObject({ dnsStatus: 'ok' })
    expect(await preflight([unreachable]).problem('shop.example.test')).toContain(`points to ${unreachable}`)
  })
})

describe('a server that never finishes its response', () => {
  const problem = (port: number) => preflight([outside()], { port, own: outside() }).problem('shop.example.test')

  it('is left after the whole time, however often it sends a byte of its head or of its body', async () => {
    await using head = await startOther((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      writeOnAndOn(socket, 'x')
    })
    await using body = await startOther((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      writeOnAndOn(socket, 'x')
    })
    const slow = expect.stringContaining('does not answer (no answer within 2 s)')
    expect(await Promise.all([problem(head.port), problem(body.port)])).toEqual([slow, slow])
  })

  it('is abandoned when its response is longer than ours could be', async () => {
    await using long = await startOther((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      writeOnAndOn(socket, 'x'.repeat(1_000))
    })
    expect(await problem(long.port)).toContain(`at ${outside()} is answered by something other than this server`)
  })

  it('is left when it wants another protocol', async () => {
    await using other = await startOther((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
    })
    expect(await problem(other.port)).toContain('does not answer')
  })
})
