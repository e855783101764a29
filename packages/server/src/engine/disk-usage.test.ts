import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createTransport } from './api/transport.ts'
import { createBuildCache } from './build/cache.ts'
import { createDisk } from './disk.ts'
import { createMeasureDisk } from './disk-usage.ts'

it('asks an engine that measures one thing at a time for one thing at a time, also after a failure', async () => {
  let measuring = 0
  let most = 0
  let asked = 0
  const server = http.createServer((request, response) => {
    if (request.url === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    measuring += 1
    most = Math.max(most, measuring)
    asked += 1
    response.statusCode = asked === 1 ? 400 : 200
    setTimeout(() => {
      measuring -= 1
      response.end('{}')
    }, 20)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has no path
  const transport = createTransport({ address: { host: '127.0.0.1', port } })
  const measure = createMeasureDisk({ transport })
  const disk = createDisk({ measure })
  const cache = createBuildCache({ transport, measure })
  const asking = [disk.images(), disk.volumes(), cache.list(), disk.images()]
  const answers = await Promise.allSettled(asking)
  server.closeAllConnections()
  server.close()
  expect(most).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
})
