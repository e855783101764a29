import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startHostileTls } from '../../testing/harness/hostile-tls.ts'
import { longestSilence } from '../../testing/harness/longest-silence.ts'
import { ownCertificate } from '../../testing/harness/own-certificate.ts'
import { signedChain } from '../../testing/harness/signed-chain.ts'
import { createTlsToStrangers, type TlsToStrangers } from './tls-to-strangers.ts'

const { chain, key } = ownCertificate('localhost')
const stranger = ownCertificate('localhost')
const WITHIN = { timeout: 20_000, interval: 50 }

let directory = ''
let strangers: TlsToStrangers
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-tls-'))
  strangers = createTlsToStrangers({ directory, ca: [chain], handshakeMs: 8000, idleMs: 1000 })
})
afterEach(async () => {
  strangers.close()
  await rm(directory, { recursive: true })
})
const helpers = () => readdirSync(directory).length

/** A TLS server that sends back what it gets. */
async function startEcho(options: TlsOptions = {}) {
  const sockets: TLSSocket[] = []
  const server = createServer({ cert: chain, key, ...options }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  return {
    port,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** What comes back for `sent`, or the code of the failure. */
async function exchange(port: number, { name = 'localhost', sent = 'hello' } = {}): Promise<string> {
  const socket = strangers.connect({ name, address: '127.0.0.1', port })
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString()
    if (answer.length >= sent.length) resolve(answer)
  })
  socket.on('error', (cause) => resolve('code' in cause ? String(cause.code) : cause.message))
  socket.on('close', () => resolve('closed'))
  socket.write(sent)
  return await promise.finally(() => socket.destroy())
}

it('bytes arrive both ways, and the helper ends when it has had nothing to do for a while', async () => {
  using host = await startEcho()
  const sent = 'x'.repeat(3_000_000)
  expect(await exchange(host.port, { sent })).toBe(sent)
  expect(await exchange(host.port)).toBe('hello')
  expect(helpers()).toBe(1)
  await vi.waitFor(() => expect(helpers()).toBe(0), WITHIN)
  expect(await exchange(host.port)).toBe('hello')
})

it('a host that sends faster than it is read has to wait', async () => {
  let sent = 0
  const server = createServer({ cert: chain, key }, (socket) => {
    const more = () => {
      while (socket.write(Buffer.alloc(65_536))) sent += 65_536
    }
    socket.on('drain', more).on('error', () => undefined)
    more()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const socket = strangers.connect({ name: 'localhost', address: '127.0.0.1', port })
  await once(socket, 'readable') // nothing reads on
  await sleep(500)
  const before = sent
  await sleep(1000)
  expect(sent).toBe(before)
  socket.destroy()
  server.close()
})

it('a failure has its code: of the certificate, its name, the connection', async () => {
  using host = await startEcho()
  using other = await startEcho({ cert: stranger.chain, key: stranger.key })
  const silent = createTcpServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo // a listening TCP server has one
  silent.close()
  expect(await exchange(host.port, { name: 'other.test' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(await exchange(other.port)).toMatch(/^(?:DEPTH_ZERO_SELF_SIGNED_CERT|CERT_SIGNATURE_FAILURE)$/)
  expect(await exchange(port)).toBe('ECONNREFUSED')
  expect(await exchange(host.port)).toBe('hello')
})

it('finite fields and old versions are not agreed to', async () => {
  const rsa = await signedChain('localhost', 'sha256')
  const finite = { ciphers: 'DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384', dhparam: 'auto', maxVersion: 'TLSv1.2' } as const
  using fields = await startEcho({ ...finite, cert: rsa.chain, key: rsa.key })
  using old = await startEcho({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
  const begin = performance.now()
  expect(await exchange(fields.port)).toMatch(/^ERR_SSL_.*HANDSHAKE_FAILURE$/)
  expect(await exchange(old.port)).toMatch(/^ERR_SSL_.*PROTOCOL/)
  expect(performance.now() - begin).toBeLessThan(4000)
})

it('a hostile handshake holds up neither this thread nor, for long, other hosts, and is ended', async () => {
  using host = await startEcho()
  using hostile = await startHostileTls({ certificates: 60 })
  const { result, silentMs } = await longestSilence(async () => {
    const held = exchange(hostile.port)
    await vi.waitFor(() => expect(hostile.connections()).toBe(1), WITHIN)
    await sleep(4000)
    expect(await exchange(host.port)).toBe('hello') // through another helper
    expect(helpers()).toBe(2)
    return await held
  })
  expect(result).toBe('ETIMEDOUT')
  expect(silentMs).toBeLessThan(250)
  await vi.waitFor(() => expect(helpers()).toBe(0), WITHIN)
})

it('an end of Berth ends its connections and helpers', async () => {
  using host = await startEcho()
  const socket = strangers.connect({ name: 'localhost', address: '127.0.0.1', port: host.port })
  socket.write('hello')
  await once(socket, 'data')
  const closed = once(socket, 'close').catch(() => [])
  strangers.close()
  await closed
  expect(helpers()).toBe(0)
  expect(() => strangers.connect({ name: 'localhost', address: '127.0.0.1', port: host.port })).toThrow('Berth is stopping.')
})
