import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EdgeTarget } from '../../src/edge/edge.ts'
import { createAccessCounts } from '../../src/edge/traffic/access-counts.ts'
import { freePort } from '../../testing/harness/listening.ts'
import { startTestEdge, type TestEdge } from '../../testing/harness/test-edge.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'

type Heard = { method: string | undefined; body: string; headers: IncomingHttpHeaders }

/** Answers with its name, or closes the connection on every request. */
async function startApp(kind: 'answers' | 'hangs up') {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      heard.push({ method: request.method, body, headers: request.headers })
      if (kind === 'answers') response.end('old')
      else request.socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return { heard, target: { ip: '127.0.0.1', port: address.port }, close: () => server.close() }
}

let edge: TestEdge
let old: Awaited<ReturnType<typeof startApp>>
let broken: Awaited<ReturnType<typeof startApp>>
let refusing: EdgeTarget
const HOST = 'trial.test'

beforeAll(async () => {
  edge = await startTestEdge()
  old = await startApp('answers')
  broken = await startApp('hangs up')
  refusing = { ip: '127.0.0.1', port: await freePort() }
})
afterAll(async () => {
  await edge[Symbol.asyncDispose]()
  old.close()
  broken.close()
})

async function route(target: EdgeTarget | EdgeTarget[], fallback?: EdgeTarget): Promise<void> {
  const hosts = [{ host: HOST, redirectHttps: false, hsts: false }]
  const release = { targets: [target].flat(), ...(fallback && { fallback: [fallback] }) }
  await edge.edge.setRoutes({ apps: [{ appKey: 'a1', hosts, ...release }] })
}

it('sends what a new release refuses to the previous release, whatever the method, and only once', async () => {
  await route(refusing, old.target)
  old.heard.length = 0
  expect(await visit(edge, { host: HOST, headers: { 'x-forwarded-for': '203.0.113.9' } })).toMatchObject({ status: 200, text: 'old' })
  expect(await visit(edge, { host: HOST, method: 'POST', body: 'order' })).toMatchObject({ status: 200, text: 'old' })
  expect(old.heard.map(({ method, body }) => [method, body])).toEqual([
    ['GET', ''],
    ['POST', 'order'],
  ])
  expect(old.heard[0]?.headers).toMatchObject({ host: HOST, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' })
  await expect.poll(async () => await edge.edge.inFlight([old.target])).toBe(0)
})

it('repeats a request that a new release dropped only if that is harmless', async () => {
  await route(broken.target, old.target)
  broken.heard.length = 0
  expect(await visit(edge, { host: HOST })).toMatchObject({ status: 200, text: 'old' })
  expect((await visit(edge, { host: HOST, method: 'POST', body: 'order' })).status).toBe(502)
  expect(broken.heard.map(({ method }) => method)).toEqual(['GET', 'POST'])
})

it('counts a request once, however often it was tried', async () => {
  await route(refusing, old.target)
  const counts = createAccessCounts({ socketPath: edge.paths.socket, now: () => new Date() })
  try {
    let sent = 0
    const asked = async () => {
      sent += 1
      await visit(edge, { host: HOST })
      return counts.snapshot('a1').requests
    }
    await expect.poll(asked, { timeout: 10_000 }).toBeGreaterThan(20)
    expect(counts.snapshot('a1').requests).toBeLessThanOrEqual(sent)
    expect(counts.snapshot('a1').statuses['5xx']).toBe(0)
  } finally {
    counts.close()
  }
})

it('says that an app is not responding if there is no fallback', async () => {
  await route(refusing)
  const answer = await visit(edge, { host: HOST, headers: { accept: 'application/json' } })
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([502, { error: { code: 'app_not_answering' } }])
})

it('sends what one of several replicas refuses or drops to another one, every time', async () => {
  await route([refusing, old.target])
  for (let n = 0; n < 20; n += 1) {
    expect(await visit(edge, { host: HOST })).toMatchObject({ status: 200, text: 'old' })
    expect(await visit(edge, { host: HOST, method: 'POST', body: 'order' })).toMatchObject({ status: 200, text: 'old' })
  }
  await route([broken.target, old.target])
  for (let n = 0; n < 20; n += 1) expect(await visit(edge, { host: HOST })).toMatchObject({ status: 200, text: 'old' })
})

it('sends what one of several new replicas refuses to the previous release', async () => {
  await route([refusing, { ...refusing, ip: '127.0.0.2' }], old.target)
  for (let n = 0; n < 10; n += 1) expect(await visit(edge, { host: HOST })).toMatchObject({ status: 200, text: 'old' })
})
