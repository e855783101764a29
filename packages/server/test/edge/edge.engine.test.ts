import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rawRequestOf } from '../../testing/harness/test-client.ts'
import { type EdgeLab, type LabApp, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { openEcho, type Visit, visit } from '../../testing/labs/edge-visitor.ts'

let lab: EdgeLab
let shop: LabApp
let blog: LabApp
const come = async (to: Visit) => await visit(lab, to)
const json = { accept: 'application/json' }

beforeAll(async () => {
  lab = await startEdgeLab()
  await lab.call('settings.update', { wildcardDomain: 'apps.example.test', dashboardDomain: 'berth.example.test' })
  shop = await lab.addApp('Shop', { domain: 'Shop.Example.test' })
  blog = await lab.addApp('Blog', { domain: 'blog.example.test' })
  await Promise.all([lab.deployWell(shop), lab.deployWell(blog)])
})
afterAll(async () => await lab[Symbol.asyncDispose]())

it('reaches an app deployed from a repository by its domain, whatever the case, the port and a trailing dot', async () => {
  for (const host of ['shop.example.test', 'SHOP.example.TEST', 'shop.example.test.', `shop.example.test:${lab.httpPort}`]) {
    const answer = await come({ host })
    expect(answer.status, host).toBe(200)
    expect(JSON.parse(answer.text)).toMatchObject({ app: 'Shop', version: '1' })
  }
  expect(JSON.parse((await come({ host: 'blog.example.test' })).text)).toMatchObject({ app: 'Blog' })
})

it('gives every web app a generated domain under the wildcard', async () => {
  const domains = await lab.call('domains.list', { appId: shop.id })
  const generated = domains.find((domain) => domain.generated)
  expect(generated?.domain).toBe('shop-lab.apps.example.test')
  expect(JSON.parse((await come({ host: 'shop-lab.apps.example.test' })).text)).toMatchObject({ app: 'Shop' })
})

it('serves the dashboard under its own domain, and tells it nothing that a visitor made up', async () => {
  expect((await come({ host: 'berth.example.test', path: '/health' })).status).toBe(200)
  const body = JSON.stringify({ email: 'owner@example.test', password: 'owner-password-1' })
  const login = async (headers: Record<string, string>) =>
    await come({
      host: 'berth.example.test',
      path: '/api/auth/login',
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const honest = await login({})
  expect(honest.status).toBe(200)
  expect(honest.headers['set-cookie']?.[0]).not.toMatch(/secure/i)
  const spoofed = await login({ 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9', forwarded: 'proto=https' })
  expect(spoofed.headers['set-cookie']?.[0]).not.toMatch(/secure/i)
  expect(lab.berth.log()).not.toContain('203.0.113.9')
})

it('tells the app about the visitor, and forwards no headers that the visitor made up', async () => {
  const lies = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.test',
    'x-real-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
  }
  const { headers } = JSON.parse((await come({ host: 'shop.example.test', headers: lies })).text) as { headers: Record<string, string> }
  expect(headers).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'shop.example.test',
    host: 'shop.example.test',
  })
  expect(JSON.stringify(headers)).not.toMatch(/203\.0\.113|evil/)
})

it('passes sockets, server-sent events, large uploads and large downloads', async () => {
  const echo = await openEcho(lab, 'shop.example.test')
  expect(await echo.say('hello')).toBe('hello')
  const upload = randomBytes(20_000_000)
  const sum = createHash('sha256').update(upload).digest('hex')
  const received = await come({ host: 'shop.example.test', path: '/upload', method: 'POST', body: upload })
  expect(JSON.parse(received.text)).toMatchObject({ bytes: upload.length, sha256: sum })
  const download = await come({ host: 'shop.example.test', path: '/stream?count=20&ms=5&bytes=1000000' })
  expect(download.text.length).toBe(20_000_000)
  expect(await firstEvents('shop.example.test', 3)).toEqual(['data: 1', 'data: 2', 'data: 3'])
  expect(await echo.say('still')).toBe('still')
  echo.socket.destroy()
})

async function firstEvents(host: string, count: number): Promise<string[]> {
  const done = Promise.withResolvers<string[]>()
  let text = ''
  const sent = request({
    host: '127.0.0.1',
    port: lab.httpPort,
    path: '/events',
    headers: { host, accept: 'text/event-stream' },
    agent: false,
  })
  sent.on('response', (response) => {
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const lines = text.split('\n\n').slice(0, -1)
      if (lines.length >= count) done.resolve(lines.slice(0, count))
    })
  })
  sent.on('error', done.reject)
  sent.end()
  const lines = await done.promise
  sent.destroy()
  return lines
}

it('says in HTML and in JSON that there is no such app', async () => {
  const page = await come({ host: 'nobody.example.test', headers: { accept: 'text/html,*/*' } })
  expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(page.text).toContain('App not found')
  const machine = await come({ host: 'nobody.example.test', headers: json })
  expect(machine.status).toBe(404)
  expect(JSON.parse(machine.text)).toMatchObject({ error: { code: 'no_such_app' } })
})

it('shows that an app is down, starting, stopped or gone, and serves it again once it is started', async () => {
  const slow = { version: '1', buildStep: ['sleep', '3'] } // long enough to be seen
  const app = await lab.addApp('Moody', { domain: 'moody.example.test', release: slow })
  const seen = async () => {
    const answer = await come({ host: 'moody.example.test', headers: json })
    const code = answer.status === 200 ? 'serves' : (JSON.parse(answer.text) as { error: { code: string } }).error.code
    return { code, status: answer.status, retryAfter: answer.headers['retry-after'] }
  }
  const becomes = async (code: string) => await until(async () => (await seen()).code === code, code)
  await becomes('app_stopped') // never deployed
  const { id } = await lab.call('deployments.add', { appId: app.id })
  await becomes('app_starting')
  expect(await seen()).toMatchObject({ status: 503, retryAfter: '5' })
  await lab.finished(id)
  expect((await seen()).code).toBe('serves')
  await lab.call('containers.stop', { appId: app.id })
  expect(await seen()).toEqual({ code: 'app_stopped', status: 503, retryAfter: '60' })
  await lab.call('containers.start', { appId: app.id })
  await becomes('serves')
  await lab.call('apps.delete', { appId: app.id })
  await becomes('no_such_app')
})

it('refuses hostile hosts with a sentence, and every other route still answers', async () => {
  const hostile = [
    '*.example.test',
    'a.test,b.test',
    '{a,b}.test',
    '`id`.test',
    'a b.test',
    '127.0.0.1',
    '[::1]',
    '2130706433',
    'bücher.test',
    'xn--',
    'раураl.test',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(126)}test`,
    'a.test\nb.test',
    'a.test b|rs',
    'localhost',
    'a..test',
    '-a.test',
    'a_b.test',
    'a.test/x',
    'a.test:80',
    '#0x1.test',
    '@instance',
    '',
  ]
  for (const domain of hostile) {
    const { method, path, body } = rawRequestOf('domains.create', { appId: blog.id, domain })
    const refused = await lab.berth.raw(method, path, { cookie: lab.owner.cookie, ...(body !== undefined && { body }) })
    expect(refused.status, domain).toBe(400)
    expect(refused.json.details?.[0]?.message, domain).toMatch(/\w/)
  }
  for (const domain of ['SHOP.EXAMPLE.TEST', 'shop.example.test.', 'Berth.example.test', 'apps.example.test'])
    await expect(lab.call('domains.create', { appId: blog.id, domain }), domain).rejects.toMatchObject({ details: [{ field: 'domain' }] })
  for (const host of ['a b', 'shop.example.test:80:80', '|', '@instance', 'x'.repeat(300), '../hosts'])
    expect([400, 404], host).toContain((await come({ host })).status)
  expect(JSON.parse((await come({ host: 'shop.example.test' })).text)).toMatchObject({ app: 'Shop' })
  expect(JSON.parse((await come({ host: 'blog.example.test' })).text)).toMatchObject({ app: 'Blog' })
  expect((await lab.berth.anonymous('health')).checks.edge).toBe('ok')
})

it('moves a domain that was taken away and given to another app, and keeps the port of the release that runs', async () => {
  const domain = await lab.call('domains.create', { appId: shop.id, domain: 'roaming.example.test' })
  const appAt = async () => /"app":"(\w+)"/.exec((await come({ host: 'roaming.example.test' })).text)?.[1] ?? 'none'
  await until(async () => (await appAt()) === 'Shop', 'Shop')
  await lab.call('domains.delete', { id: domain.id })
  await until(async () => (await appAt()) === 'none', 'nobody')
  await lab.call('domains.create', { appId: blog.id, domain: 'roaming.example.test' })
  await until(async () => (await appAt()) === 'Blog', 'Blog')
  await lab.call('apps.update', { appId: blog.id, port: 4000 })
  await sleep(300)
  expect(await appAt()).toBe('Blog')
  await lab.call('apps.update', { appId: blog.id, port: 3000 })
})

it('counts the requests of each app', async () => {
  const quiet = await lab.addApp('Counted', { domain: 'counted.example.test' })
  await lab.deployWell(quiet)
  for (let i = 0; i < 10; i += 1) await come({ host: 'counted.example.test' })
  for (const code of [404, 404, 500, 302]) await come({ host: 'counted.example.test', path: `/status?code=${code}` })
  await come({ host: 'counted.example.test', path: '/upload', method: 'POST', body: Buffer.alloc(100_000) })
  const traffic = await until(async () => {
    const now = await lab.call('apps.traffic', { appId: quiet.id })
    return now.requests >= 15 && now
  }, 'fifteen requests')
  expect(traffic).toMatchObject({ requests: 15, byStatus: { '2xx': 11, '3xx': 1, '4xx': 2, '5xx': 1 } })
  expect(traffic.bytes).toBeGreaterThan(100_000)
  expect(traffic.p99Ms).toBeGreaterThanOrEqual(traffic.p50Ms)
})
