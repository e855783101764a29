import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createTransport } from './api/transport.ts'
import { createDownloads } from './downloads/downloads.ts'
import { createImages } from './images.ts'
import { createPrivatePull } from './private-pull.ts'

const NAME = `ghcr.io/ada/shop@sha256:${'a'.repeat(64)}`

let server: http.Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** An engine that has these names of images, and more after a pull. */
async function engineWith(names: Set<string>) {
  server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine')
    const name = decodeURIComponent(/\/images\/(.+?)(?:\/json)?$/.exec(pathname)?.[1] ?? '')
    if (pathname === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    if (request.method === 'POST') names.add(searchParams.get('fromImage') ?? '')
    else if (!names.has(name)) return void response.writeHead(404).end('{"message":"no such image"}')
    if (request.method === 'DELETE') names.delete(name)
    response.end(request.method === 'GET' ? '{"Id":"sha256:1"}' : '[]')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has no path
  return createImages({ transport: createTransport({ address: { host: '127.0.0.1', port } }), downloads: createDownloads() })
}

it.each([
  ['takes away the name that it brought', [], []],
  ['leaves a name that was there before', [NAME], [NAME]],
])('a private pull %s', async (_, before, after) => {
  const names = new Set<string>(before)
  const pull = createPrivatePull({ images: await engineWith(names) })
  const options = { signal: AbortSignal.timeout(10_000), onLine: () => undefined }
  expect(await pull(NAME, options, async ({ id }) => `${id} ${names.has(NAME)}`)).toBe('sha256:1 true')
  expect([...names]).toEqual(after)
})
