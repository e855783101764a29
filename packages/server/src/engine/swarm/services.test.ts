import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createTransport } from '../api/transport.ts'
import { createServices } from './services.ts'

let server: http.Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** An HTTP server that behaves like an engine. */
async function servicesOf(answer: http.RequestListener, log = { warn: (_fields: object, _message: string): void => undefined }) {
  server = http.createServer((request, response) => {
    if (request.url === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  return createServices({ transport: createTransport({ address: { host: '127.0.0.1', port } }), log })
}

function frame(line: string): Buffer {
  const body = Buffer.from(`2026-01-02T03:04:05.000000000Z ${line}\n`)
  const header = Buffer.alloc(8)
  header[0] = 1
  header.writeUInt32BE(body.length, 4)
  return Buffer.concat([header, body])
}

it('reads the beginning of what a task printed, however much there is', async () => {
  let sent = 0
  let isClosed = false
  const services = await servicesOf((_request, response) => {
    response.on('close', () => void (isClosed = true))
    response.write(frame('{"first":1}'))
    const more = (): void => {
      while (!isClosed && response.write(frame('x'.repeat(1000)))) sent += 1
      if (!isClosed) response.once('drain', more)
    }
    more()
  })
  const lines = await services.output('a1')
  expect(lines[0]).toBe('{"first":1}')
  expect(lines.join('\n').length).toBeLessThanOrEqual(64 * 1024)
  await expect.poll(() => isClosed).toBe(true)
  expect(sent).toBeGreaterThan(60)
})

it('removes the services and networks of checks that a crash left, and waits for a network that is still in use', async () => {
  const asked: string[] = []
  const services = await servicesOf((request, response) => {
    const url = new URL(request.url ?? '', 'http://engine')
    const call = `${request.method} ${url.pathname.replace('/v1.41', '')}`
    asked.push(call)
    if (call === 'GET /services') return void response.end('[{"ID":"s1"}]')
    if (call === 'GET /networks') {
      asked.push(url.searchParams.get('filters') ?? '')
      return void response.end('[{"Id":"n1","Name":"left"},{"Id":"n2","Name":"gone"}]')
    }
    if (call === 'DELETE /networks/n2') return void response.writeHead(404).end('{"message":"no such network"}')
    const isInUse = call === 'DELETE /networks/n1' && asked.filter((each) => each === call).length < 3
    response.writeHead(isInUse ? 400 : 204).end(isInUse ? '{"message":"network is in use by task"}' : undefined)
  })
  await services.removeAll({ instance: 'abc', kind: 'check' })
  expect(asked).toEqual([
    'GET /services',
    'DELETE /services/s1',
    'GET /networks',
    expect.stringContaining('berth.kind=check'),
    ...Array.from({ length: 3 }, () => 'DELETE /networks/n1'),
    'DELETE /networks/n2',
  ])
})
