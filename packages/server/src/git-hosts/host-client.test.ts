import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { expect, it } from 'vitest'
import { ownCertificate } from '../../testing/harness/own-certificate.ts'
import { signedChain } from '../../testing/harness/signed-chain.ts'
import { createSourcePolicy } from '../git/source-policy.ts'
import { createTlsToStrangers } from '../lib/tls-to-strangers.ts'
import { createHostClient } from './host-client.ts'

const { chain, key } = ownCertificate('localhost')
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** A host that answers each request in this way. */
async function startHost(answer: (socket: TLSSocket) => void, options: TlsOptions = {}) {
  const sockets: TLSSocket[] = []
  const server = createServer({ cert: chain, key, ...options }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2000 })
  const tls = createTlsToStrangers({ directory: tmpdir(), ca: [chain] })
  const visit = createHostClient({ policy, tls, now: () => new Date() })
  const place = { base: `https://localhost:${port}/api`, headers: {}, privileged: true, signal: AbortSignal.timeout(20_000) }
  return {
    ask: async () => await visit(place, async (asked) => (await asked({ path: '/user' })).body),
    connections: () => sockets.length,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      tls.close()
    },
  }
}

/** Whatever a host sends after the first bytes of a request. */
async function ask(answer: (socket: TLSSocket) => void): Promise<unknown> {
  using host = await startHost(answer)
  return await host.ask()
}

it('a host that switches to another protocol has given no answer', async () => {
  const asked = ask((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'))
  await expect(asked).rejects.toMatchObject({ failure: 'unavailable', message: expect.stringContaining('localhost does not answer') })
})

it('a host that closes the connection has given no answer', async () => {
  await expect(ask((socket) => socket.end())).rejects.toMatchObject({ failure: 'unavailable' })
})

it('an answer in very many pieces is not read to its end', async () => {
  const pieces = '1\r\n \r\n'.repeat(30_000)
  const whole = (socket: TLSSocket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n${pieces}2\r\n{}\r\n0\r\n\r\n`)
  await expect(ask(whole)).rejects.toThrow('localhost sends more data than Berth can read.')
})

it('an answer of very many different names is not parsed', async () => {
  const names = `{${Array.from({ length: 5100 }, (_, n) => `"a${n}":1`).join()}}`
  const asked = ask((socket) => socket.end(`${HEAD}connection: close\r\n\r\n${names}`))
  await expect(asked).rejects.toMatchObject({ failure: 'unavailable', message: expect.stringContaining('too many parts') })
})

it('an answer in a few pieces is put together', async () => {
  const whole = (socket: TLSSocket) => socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`)
  expect(await ask(whole)).toEqual({})
})

it('an answer that ends with its connection is read to its end', async () => {
  expect(await ask((socket) => socket.end(`${HEAD}connection: close\r\n\r\n{}`))).toEqual({})
})

it('a host that sends interim responses without end has given no answer', async () => {
  const asked = ask((socket) => socket.write('HTTP/1.1 102 P\r\n\r\n'.repeat(50)))
  await expect(asked).rejects.toMatchObject({ failure: 'unavailable', message: expect.stringContaining('localhost does not answer') })
})

it('visits in a row use one connection', async () => {
  using host = await startHost((socket) => socket.write(`${HEAD}content-length: 2\r\n\r\n{}`))
  for (let n = 0; n < 3; n += 1) expect(await host.ask()).toEqual({})
  expect(host.connections()).toBe(1)
})

it('an idle connection that the host has closed is replaced', async () => {
  const answered = new WeakSet<TLSSocket>()
  using host = await startHost((socket) => {
    if (answered.has(socket)) return socket.destroy()
    answered.add(socket)
    return socket.write(`${HEAD}content-length: 2\r\n\r\n{}`)
  })
  for (let n = 0; n < 3; n += 1) expect(await host.ask()).toEqual({})
  expect(host.connections()).toBe(3)
})

it('a host that can only compute in finite fields is refused with the reason', async () => {
  const rsa = await signedChain('localhost', 'sha256')
  const finite = { ciphers: 'DHE-RSA-AES256-GCM-SHA384', dhparam: 'auto', maxVersion: 'TLSv1.2', cert: rsa.chain, key: rsa.key } as const
  using host = await startHost(() => undefined, finite)
  await expect(host.ask()).rejects.toMatchObject({
    failure: 'unavailable',
    message: expect.stringMatching(/^localhost offers no encryption that Berth accepts \(ERR_SSL_[^)]+\)\. It needs TLS 1\.2 with ECDHE/),
  })
})

it('a certificate that nobody known issued is refused with the reason', async () => {
  const other = ownCertificate('localhost')
  using host = await startHost(() => undefined, { cert: other.chain, key: other.key })
  await expect(host.ask()).rejects.toThrow(/^The certificate of localhost cannot be verified \(/)
})
