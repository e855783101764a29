import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createTransport } from '../api/transport.ts'
import { createDownloads } from '../downloads/downloads.ts'
import { createImages } from '../images.ts'
import { createAgentImage } from './agent-image.ts'

let server: http.Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

it('keeps the image of this Node.js and removes those of earlier ones, unless one is still used', async () => {
  const removed: string[] = []
  const asked: string[] = []
  const tagOf = (version: string) => `127.0.0.1:1/berth-abc/agent:node-${version}`
  server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://engine')
    if (url.pathname === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    if (request.method === 'DELETE') {
      removed.push(`${url.pathname.replace('/v1.41/images/', '')} ${url.searchParams.get('force')}`)
      const isUsed = url.pathname.endsWith('v20.0.0')
      return void response.writeHead(isUsed ? 409 : 200).end(isUsed ? '{"message":"it is used by a container"}' : '[]')
    }
    if (url.pathname.endsWith('/images/json')) {
      asked.push(url.searchParams.get('filters') ?? '')
      return void response.end(
        JSON.stringify(['v20.0.0', 'v22.0.0', process.version].map((version) => ({ Id: version, RepoTags: [tagOf(version)] }))),
      )
    }
    response.end('{}') // the image is there
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  const transport = createTransport({ address: { host: '127.0.0.1', port } })
  const agentImage = createAgentImage({ transport, images: createImages({ transport, downloads: createDownloads() }) })
  expect(await agentImage.ensure('abc')).toBe(tagOf(process.version))
  expect(asked).toEqual([expect.stringContaining('berth.kind=agent')])
  expect(removed).toEqual([`${tagOf('v20.0.0')} false`, `${tagOf('v22.0.0')} false`])
})
