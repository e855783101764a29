import { once } from 'node:events'
import https from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { startHostileTls } from '../../testing/harness/hostile-tls.ts'
import { longestSilence } from '../../testing/harness/longest-silence.ts'
import { ownCertificate } from '../../testing/harness/own-certificate.ts'
import { createTlsToStrangers } from '../lib/tls-to-strangers.ts'
import { createPinnedRequest } from './pinned-request.ts'
import { createSourcePolicy } from './source-policy.ts'

const { chain, key } = ownCertificate('localhost')
const tls = createTlsToStrangers({ directory: tmpdir(), ca: [chain] })
afterAll(() => tls.close())
let server: Server
let origin = ''
let onRequest: (socket: Socket) => void
const sockets = new Set<Socket>()
beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => onRequest(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  origin = `http://127.0.0.1:${port}`
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server.close()
  await once(server, 'close')
})

async function ask({
  headers = {},
  signal = new AbortController().signal,
  url = origin,
}: {
  url?: string
  headers?: Record<string, string>
  signal?: AbortSignal
} = {}) {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2000 })
  return await createPinnedRequest({ policy, tls })({ url: new URL(url), privileged: true, headers, signal })
}

it('a server that switches to another protocol is refused, and its connection is closed', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  onRequest = (socket) => {
    socket.on('close', () => resolve())
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
  }
  await expect(ask()).rejects.toThrow('127.0.0.1 switches to another protocol instead of sending the file.')
  await closed
})

it('a server that closes the connection without an answer is a failed connection', async () => {
  onRequest = (socket) => socket.end()
  await expect(ask()).rejects.toThrow('The connection to 127.0.0.1 failed.')
})

it('a cancel is passed on with its reason', async () => {
  const cancel = new AbortController()
  onRequest = () => cancel.abort(new Error('cancelled by a person'))
  await expect(ask({ signal: cancel.signal })).rejects.toThrow('cancelled by a person')
})

it('headers that Node.js refuses to send fail the request, and nothing else', async () => {
  onRequest = () => undefined
  await expect(ask({ headers: { trailer: 'x' } })).rejects.toThrow('The connection to 127.0.0.1 failed.')
})

it('a server that sends interim responses without end is a failed connection', async () => {
  onRequest = (socket) => socket.write('HTTP/1.1 102 P\r\n\r\n'.repeat(50))
  await expect(ask()).rejects.toThrow('The connection to 127.0.0.1 failed.')
})

it('a file over https is read to its end, and the name of its certificate is checked', async () => {
  const file = 'x'.repeat(2_000_000)
  const host = https.createServer({ cert: chain, key }, (_request, response) => response.end(file)).listen(0, '127.0.0.1')
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo // a listening TCP server has one
  const answer = await ask({ url: `https://localhost:${port}` })
  expect(await text(answer)).toBe(file)
  expect(answer.socket.bytesRead).toBeGreaterThan(file.length) // which the limit of framing counts
  await expect(ask({ url: `https://127.0.0.1:${port}` })).rejects.toMatchObject({ cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } })
  host.closeAllConnections()
  host.close()
})

it('a server whose certificates take long to read holds up nobody else', async () => {
  using hostile = await startHostileTls({ certificates: 3 })
  const asked = async () =>
    await expect(ask({ url: `https://localhost:${hostile.port}` })).rejects.toThrow('The connection to localhost failed.')
  const { silentMs } = await longestSilence(asked)
  expect(silentMs).toBeLessThan(250)
})
