import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { newAuthority } from '../../lib/x509.ts'
import { ArchiveRefused, createAgentArchives } from './agent-archives.ts'
import { createAgentIdentity } from './agent-identity.ts'

const NODE = 'node1'
const DAY_MS = 24 * 3600_000
const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
const authority = { name: 'test', ...newAuthority({ name: 'test', ...times }) }
const identity = createAgentIdentity({ authority: async () => authority, now: () => new Date() })

/** A server that answers in place of the agent of a node. */
async function startAgent(answer: RequestListener) {
  const { key, certificate, authority: ca } = JSON.parse(await identity.forAgent(NODE)) as Record<string, string>
  const server = https.createServer({ key, cert: certificate, ca }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const { read, write } = createAgentArchives({ identity, port: typeof address === 'object' && address !== null ? address.port : 0 })
  const place = { nodeId: NODE, address: '127.0.0.1' }
  const signal = new AbortController().signal
  return {
    read: async (work: (archive: AsyncIterable<Buffer>) => Promise<void>) => await read(place, 'data', work, signal),
    write: async () => await write(place, 'data', Readable.from([Buffer.from('archive')], { objectMode: false }), signal),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const endless = (start: string) =>
  Readable.from(
    (function* () {
      yield start
      for (;;) yield 'x'.repeat(65_536)
    })(),
  )

it('says why the agent refused', async () => {
  await using agent = await startAgent((request, response) => {
    request.resume()
    response.writeHead(409).end('{"message":"A container still uses the volume."}')
  })
  const refused = new ArchiveRefused('A container still uses the volume.')
  await expect(agent.read(async () => undefined)).rejects.toThrow(refused)
  await expect(agent.write()).rejects.toThrow(refused)
})

it('does not read an answer without end that is no archive', async () => {
  await using agent = await startAgent((request, response) => {
    request.resume()
    response.writeHead(request.method === 'PUT' ? 200 : 500)
    endless('{"message":"').pipe(response)
  })
  await expect(agent.read(async () => undefined)).rejects.toThrow(new ArchiveRefused('Its agent answered with status 500.'))
  await expect(agent.write()).rejects.toThrow('its answer is too long')
})

it('reads an archive as it arrives, however long it is', async () => {
  await using agent = await startAgent((_request, response) => void endless('').pipe(response))
  let bytes = 0
  await agent.read(async (archive) => {
    for await (const chunk of archive) {
      bytes += chunk.length
      if (bytes > 1024 * 1024) return
    }
  })
  expect(bytes).toBeGreaterThan(1024 * 1024)
})
