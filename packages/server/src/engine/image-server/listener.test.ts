import { once } from 'node:events'
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { timesOpen } from '../../../testing/harness/open-files.ts'
import { issuedFor, newAuthority } from '../../lib/x509.ts'
import { listen } from './listener.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const times = { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 3600_000) }
const authority = { name: 'test', ...newAuthority({ name: 'test', ...times }) }
const SIZE = 8 * 1024 * 1024
let directory: string
let asking = new Set<string>()
let goOn = Promise.withResolvers<void>()
let server: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-listener-'))
  const path = join(directory, 'blob')
  const { certificate: cert, key } = issuedFor(authority, { address: '127.0.0.1', ...times })
  await writeFile(path, Buffer.alloc(SIZE, 'x'))
  server = await listen(
    {
      manifest: async ({ name }) => (name === 'known' ? Buffer.from('{"a":1}') : undefined),
      blob: async ({ name, digest }) => {
        asking.add(digest)
        if (name === 'slow') await goOn.promise
        return name === 'known' || name === 'slow'
          ? { path, size: SIZE }
          : name === 'small'
            ? { bytes: Buffer.from('0123456789'), size: 10 }
            : undefined
      },
      log: { warn: () => undefined },
    },
    { address: '127.0.0.1', port: 0, tls: { cert, key }, credentials: { username: 'berth', password: 'secret' } },
  )
})
afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true })
})

/** The digests that were asked for since then. */
function watchAsking(): void {
  asking = new Set()
  goOn = Promise.withResolvers<void>()
}

const numbered = (n: number) => `sha256:${String(n).padStart(64, '0')}`

async function connectFrom(localAddress: string): Promise<TLSSocket> {
  const place = { host: '127.0.0.1', port: server.port, localAddress } // its type lacks the last one
  const socket = connect({ ...place, ca: authority.certificate })
  socket.on('error', () => undefined) // the server closes while this side sends
  await once(socket, 'secureConnect')
  return socket
}

async function closed(socket: TLSSocket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
}

const rawRequest = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${Buffer.from('berth:secret').toString('base64')}\r\n\r\n`

type Options = { method?: string; auth?: string | undefined; headers?: Record<string, string>; ca?: string }

async function ask(path: string, { method = 'GET', auth = 'berth:secret', headers = {}, ca = authority.certificate }: Options = {}) {
  const request = https.request({
    host: '127.0.0.1',
    port: server.port,
    path,
    method,
    headers,
    ca,
    agent: false,
    ...(auth !== '' && { auth }),
  })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

async function asked(path: string, options?: Options) {
  const response = await ask(path, options)
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString() }
}

it('is trusted through its authority, and by nobody else', async () => {
  expect((await asked('/v2/')).status).toBe(200)
  const other = newAuthority({ name: 'test', ...times }).certificate
  await expect(asked('/v2/', { ca: other })).rejects.toThrow(/signature|certificate/)
})

it('tells whoever does not know the password how to ask, slowly if it was wrong, and no more', async () => {
  const without = await asked(`/v2/known/manifests/${DIGEST}`, { auth: '' })
  expect(without).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="images"' },
    body: '{"errors":[{"code":"UNAUTHORIZED"}]}',
  })
  const begun = performance.now()
  expect(await asked('/v2/nothing', { auth: 'berth:wrong' })).toMatchObject({ status: 401, body: without.body })
  expect(performance.now() - begun).toBeGreaterThan(900)
})

it('gives manifests and blobs, and their headers alone', async () => {
  const manifest = await asked(`/v2/known/manifests/${DIGEST}`)
  expect(manifest).toMatchObject({ status: 200, body: '{"a":1}', headers: { 'docker-content-digest': DIGEST, 'content-length': '7' } })
  expect(manifest.headers['content-type']).toBe('application/vnd.docker.distribution.manifest.v2+json')
  expect(await asked(`/v2/known/manifests/${DIGEST}`, { method: 'HEAD' })).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': '7' },
  })
  expect(await asked(`/v2/known/blobs/${DIGEST}`, { method: 'HEAD' })).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': String(SIZE) },
  })
  expect((await asked(`/v2/known/blobs/${DIGEST}`)).body.length).toBe(SIZE)
})

it('goes on where a download was cut', async () => {
  const part = async (range: string) => await asked(`/v2/small/blobs/${DIGEST}`, { headers: { range } })
  expect(await part('bytes=7-')).toMatchObject({ status: 206, body: '789', headers: { 'content-range': 'bytes 7-9/10' } })
  expect(await part('bytes=10-')).toMatchObject({ status: 416 })
  expect((await asked(`/v2/known/blobs/${DIGEST}`, { headers: { range: `bytes=${SIZE - 3}-` } })).body).toBe('xxx')
})

it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('nothing can be changed: %s', async (method) => {
  expect((await asked('/v2/known/blobs/uploads/', { method })).status).toBe(405)
})

it('has nothing else', async () => {
  for (const path of [
    '/',
    '/v2/_catalog',
    '/v2/known/tags/list',
    '/v2/known/manifests/release',
    `/v2/other/manifests/${DIGEST}`,
    `/v2/other/blobs/${DIGEST}`,
  ])
    expect((await asked(path)).status).toBe(404)
})

it('begins one of the requests that arrive at once, and closes a connection with many', async () => {
  watchAsking()
  const socket = await connectFrom('127.0.0.1')
  socket.write(Array.from({ length: 1000 }, (_, n) => rawRequest(`/v2/slow/blobs/${numbered(n)}`)).join(''))
  await closed(socket)
  goOn.resolve()
  expect(asking).toEqual(new Set([numbered(0)]))
})

it('one server does not take the answers of another, also if it hangs up on them', async () => {
  watchAsking()
  const sockets = await Promise.all(Array.from({ length: 40 }, async () => await connectFrom('127.0.0.2')))
  for (const [n, socket] of sockets.entries()) socket.write(rawRequest(`/v2/slow/blobs/${numbered(n)}`))
  await expect.poll(() => asking.size).toBe(16)
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map(closed))
  const again = await connectFrom('127.0.0.2')
  again.write(rawRequest(`/v2/slow/blobs/${numbered(99)}`))
  expect((await asked(`/v2/small/blobs/${DIGEST}`)).body).toBe('0123456789')
  expect(asking).toHaveLength(17) // the one of this server
  goOn.resolve()
  await expect.poll(() => asking.has(numbered(99))).toBe(true)
  again.destroy()
  await expect.poll(async () => await timesOpen(join(directory, 'blob'))).toBe(0)
})

it('keeps servers out with no number of connections without the password', async () => {
  const sockets = await Promise.all(Array.from({ length: 60 }, async () => await connectFrom('127.0.0.1')))
  expect((await asked('/v2/')).status).toBe(200)
  await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThanOrEqual(13)
  for (const socket of sockets) socket.destroy()
})

it('closes a connection after a refusal, and one that asks to become something else', async () => {
  expect((await asked('/v2/', { auth: '' })).headers.connection).toBe('close')
  const socket = await connectFrom('127.0.0.1')
  socket.write('GET /v2/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await closed(socket)
})

it('a download goes on while the file is removed', async () => {
  const response = await ask(`/v2/known/blobs/${DIGEST}`)
  await unlink(join(directory, 'blob'))
  let length = 0
  for await (const part of response) length += (part as Buffer).length
  expect(length).toBe(SIZE)
})
