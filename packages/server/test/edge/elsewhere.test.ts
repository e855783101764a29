import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import type { EdgeRoutes } from '../../src/edge/edge.ts'
import { createAllEdges, createEdgesElsewhere } from '../../src/edge/elsewhere/edges.ts'
import { startTestEdge, type TestEdge } from '../../testing/harness/test-edge.ts'

const HOST = 'app.example.test'
const THERE = { nodeId: 'n2', serverId: 's2', name: 'two' }
const NOBODY = { targets: [{ ip: '127.0.0.1', port: 9 }] }

async function get(edge: TestEdge, path = '/'): Promise<string> {
  const request = http.get({ host: '127.0.0.1', port: edge.httpPort, path, headers: { host: HOST }, agent: false })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage] // what this event has
  return `${response.statusCode} ${await text(response)}`
}

const routesTo = (port: number): EdgeRoutes => ({
  apps: [{ appKey: 'app-1', hosts: [{ host: HOST, redirectHttps: false, hsts: false }], targets: [{ ip: '127.0.0.1', port }] }],
})

/** The edge of this server and that of another one, which are two real ones on this machine. */
async function openBoth() {
  await using stack = new AsyncDisposableStack()
  const [here, there] = [stack.use(await startTestEdge()), stack.use(await startTestEdge())]
  const warnings: string[] = []
  const others = createEdgesElsewhere<typeof THERE>({
    open: () => ({
      edge: there.edge,
      there: (each) => each,
      targetsThere: (each) => [...each],
      countVisits: async () => undefined,
      isAway: () => false,
    }),
    log: { warn: (_fields, message) => void warnings.push(message) },
  })
  const server = http.createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const held = stack.move()
  const all = createAllEdges(here.edge, others)
  return { here, there, others, all, warnings, port: address.port, [Symbol.asyncDispose]: async () => await held.disposeAsync() }
}

it('routes and challenges are at every edge, also at one that is switched on later', async () => {
  await using both = await openBoth()
  const { all, others, here, there, port } = both
  await all.update(async () => routesTo(port))
  await all.addChallenge('early', 'early.answer')
  await others.keep([THERE])
  await expect.poll(() => others.stateOf('s2')).toEqual({ state: 'current', message: '' })
  await all.addChallenge('late', 'late.answer')
  for (const edge of [here, there]) {
    expect(await get(edge)).toBe('200 hello')
    for (const token of ['early', 'late']) expect(await get(edge, `/.well-known/acme-challenge/${token}`)).toBe(`200 ${token}.answer`)
  }
  await all.removeChallenge('late')
  await others.settled()
  expect(await get(there, '/.well-known/acme-challenge/late')).toBe('200 hello')
})

it('a new route is at every edge when the update is over', async () => {
  await using both = await openBoth()
  const { all, others, there, port } = both
  await others.keep([THERE])
  await all.update(async () => ({ apps: [] }))
  await expect.poll(() => others.stateOf('s2').state).toBe('current')
  expect(await get(there)).toMatch(/^404/)
  await all.update(async () => routesTo(port))
  expect(await get(there)).toBe('200 hello')
  expect(await all.inFlight(NOBODY.targets)).toBe(0)
})

it('one that cannot be told holds up the others once, and is shown as behind', async () => {
  await using both = await openBoth()
  const { all, others, here, there, warnings, port } = both
  await others.keep([THERE])
  await all.update(async () => ({ apps: [] }))
  await expect.poll(() => others.stateOf('s2').state).toBe('current')
  await there.edge.close()
  await all.update(async () => routesTo(port))
  expect(await get(here)).toBe('200 hello')
  expect(others.stateOf('s2')).toMatchObject({ state: 'behind' })
  const begun = performance.now()
  await all.update(async () => routesTo(port))
  expect(performance.now() - begun).toBeLessThan(1000)
  expect(warnings).toEqual(['The edge of another server is not up to date'])
})
