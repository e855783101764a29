import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createTransport } from './api/transport.ts'
import { createDownloads } from './downloads/downloads.ts'
import { createImages } from './images.ts'

let server: http.Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** An engine that answers a pull with these messages. */
async function engineThatPulls(messages: readonly object[]) {
  server = http.createServer((request, response) => {
    if (request.url === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    response.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  return createImages({ transport: createTransport({ address: { host: '127.0.0.1', port } }), downloads: createDownloads() })
}

const layer = (current: number) => ({ id: 'layer', status: 'Downloading', progressDetail: { current, total: 100 } })

it('a pull says that something arrives, also where there is no new line for it, and not when a download stands still', async () => {
  const images = await engineThatPulls([layer(10), layer(20), layer(20), layer(20), layer(30)])
  const lines: string[] = []
  let told = 0
  await images.pull('postgres:17', {
    signal: AbortSignal.timeout(10_000),
    onLine: (line) => lines.push(line),
    onActivity: () => void (told += 1),
  })
  expect(lines).toEqual(['layer: Downloading'])
  expect(told).toBe(3)
})

it('an image whose configuration would fill the memory is not parsed', async () => {
  const images = await engineThatPulls([{ Id: 'sha256:1', Config: { Labels: { a: 'x'.repeat(100_000) } } }])
  expect(await images.inspect('small')).toMatchObject({ id: 'sha256:1', settingsBytes: 100_019 })
  server?.close()
  const large = await engineThatPulls([{ Id: 'sha256:1', Config: { Labels: { a: 'x'.repeat(3 * 1024 ** 2) } } }])
  await expect(large.inspect('large')).rejects.toThrow('says more than 2 MiB about this image')
})
