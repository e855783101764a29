import { operations } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

type OpenApi = { openapi: string; info: object; paths: Record<string, Record<string, { operationId: string; security: object[] }>> }

let berth: TestServer
beforeAll(async () => {
  berth = await startTestServer()
})
afterAll(async () => await berth[Symbol.asyncDispose]())

describe('/openapi.json', () => {
  it('describes every operation, as 3.1', async () => {
    const described = JSON.parse((await berth.raw('GET', '/openapi.json')).text) as OpenApi // its shape is what is looked at below
    expect(described).toMatchObject({ openapi: '3.1.0', info: { title: 'Berth', version: expect.any(String) } })
    const ids = Object.values(described.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId))
    expect(ids.toSorted()).toEqual(Object.keys(operations).toSorted())
  })

  it('is sent compressed to those who take that, and says the same', async () => {
    const small = await fetch(`${berth.baseUrl}/openapi.json`, { headers: { 'accept-encoding': 'gzip' } })
    expect(small.headers.get('content-encoding')).toBe('gzip')
    expect(await small.text()).toBe((await berth.raw('GET', '/openapi.json')).text)
  })

  it('says which operations are open', async () => {
    const { paths } = JSON.parse((await berth.raw('GET', '/openapi.json')).text) as OpenApi // as above
    const open = Object.entries(paths).flatMap(([path, lines]) =>
      Object.values(lines)
        .filter(({ security }) => security.length === 0)
        .map(() => path),
    )
    expect(open.toSorted()).toEqual(['/api/auth/join', '/api/auth/login', '/api/servers/image', '/api/setup', '/health'])
  })
})

describe('an address', () => {
  it('that is unknown is not_found in the envelope', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await berth.raw(method, '/api/nothing')
      expect([method, answer.status, answer.json]).toEqual([method, 404, { success: false, code: 'not_found', error: expect.any(String) }])
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    }
  })

  it.each([...new Set(Object.values(operations).map(({ path }) => path))])('%s answers its own methods alone', async (path) => {
    const address = path.replaceAll(/:[A-Za-z]+/g, '1')
    const answered = new Set<string>(
      Object.values(operations)
        .filter((line) => matches(line.path, address))
        .map((line) => line.method),
    )
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((name) => !answered.has(name))) {
      const answer = await berth.raw(method, address)
      expect([method, answer.status, answer.json.code]).toEqual([method, 405, 'method_not_allowed'])
    }
    const head = await fetch(`${berth.baseUrl}${address}`, { method: 'HEAD', headers: { cookie: (await berth.owner()).cookie } })
    expect(head.status).toBe(path === '/health' ? 200 : 405)
  })

  it('that everybody may read can also be asked for its head', async () => {
    for (const path of ['/health', '/openapi.json']) {
      const head = await fetch(`${berth.baseUrl}${path}`, { method: 'HEAD' })
      expect([path, head.status, head.headers.get('content-type')]).toEqual([path, 200, 'application/json; charset=utf-8'])
    }
  })

  it('of a socket says that it wants an upgrade', async () => {
    expect((await berth.raw('GET', '/api/ws/metrics')).json.error).toContain('WebSocket')
  })
})

function matches(pattern: string, address: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`).test(address)
}

describe('what needs no login', () => {
  it('is short: everything else is not_signed_in', async () => {
    const open = Object.entries(operations).filter(([, { may }]) => ['anyone', 'signed webhook', 'deploy hook'].includes(may))
    expect(open.map(([name]) => name).toSorted()).toEqual([
      'auth.join',
      'auth.login',
      'auth.setup',
      'deployments.addByHook',
      'health',
      'servers.image',
      'webhooks.git',
    ])
  })

  it('/health tells how Berth is, without the envelope', async () => {
    const { status, json } = await berth.raw('GET', '/health')
    expect(status).toBe(200)
    expect(json).toMatchObject({ status: 'degraded', checks: { database: 'ok', engine: 'unreachable', edge: 'off', queue: 'ok' } })
  })

  it.each([
    {},
    { 'x-hub-signature-256': '' },
    { 'x-hub-signature-256': 'sha256=' },
    { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    { 'x-hub-signature': `sha1=${'0'.repeat(40)}` },
    { 'x-hub-signature-256': 'sha256=b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad' },
  ])('a delivery that nobody has signed is webhook_not_verified: %j', async (signature) => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const headers = { ...signature, 'content-type': type, 'x-github-event': 'push', 'x-github-delivery': 'd1' }
      const answer = await berth.raw('POST', '/api/webhooks/git', { body: '{"ref":"refs/heads/main"}', headers })
      expect([answer.status, answer.json.code]).toEqual([401, 'webhook_not_verified'])
    }
  })

  it('a delivery that cannot be signed is refused by its head, and its sender can read that, however much follows', async () => {
    for (const size of [2, 26]) {
      const answer = await berth.raw('POST', '/api/webhooks/git', { body: Buffer.alloc(size * 1024 * 1024, 'x') })
      expect([answer.status, answer.json.code]).toEqual([401, 'webhook_not_verified'])
    }
  })
})
