import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { EngineUnreachable } from './api/errors.ts'
import { createEngine } from './engine.ts'

const labels = { 'berth.instance': 'abc' }
const registry = { prefix: 'registry.example.com/berth', credentials: undefined }

/** An engine that belongs to a Swarm without a leader, and a record of what it was asked. */
async function openLeaderless(isSwarm?: boolean) {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://engine').pathname.replace(/^\/v1\.\d+/, '')
    if (path === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    asked.push(path)
    if (path === '/containers/json') return void response.end('[]')
    response.writeHead(503).end('{"message":"rpc error: The swarm does not have a leader."}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  const log = { info: () => undefined, warn: () => undefined }
  const otherServers =
    isSwarm === undefined ? undefined : { registry, isSwarm: async () => isSwarm, whyNot: () => '', openWay: async () => undefined }
  return {
    engine: createEngine({ address: { host: '127.0.0.1', port }, log, now: () => new Date(), ...(otherServers && { otherServers }) }),
    asked,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it.each([undefined, false])('with one server the engine is never asked about Swarm (registry: %s)', async (isSwarm) => {
  await using lab = await openLeaderless(isSwarm)
  expect(await lab.engine.containers.list({ labels })).toEqual([])
  expect(await lab.engine.placement.isOpen()).toBe(false)
  await lab.engine.keepPlaced('abc')
  expect(lab.asked).toEqual(['/containers/json'])
})

it('a Swarm without a leader is an engine that cannot be reached', async () => {
  await using lab = await openLeaderless(true)
  await expect(lab.engine.containers.list({ labels })).rejects.toThrow(EngineUnreachable)
  await expect(lab.engine.placement.isOpen()).rejects.toThrow(EngineUnreachable)
  await expect(lab.engine.placement.namesOf(['x'])).rejects.toThrow(EngineUnreachable)
})
