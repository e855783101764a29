import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

let berth: TestServer
let user: Person
let appId: number
let n = 0

beforeAll(async () => {
  berth = await startTestServer()
  user = await berth.as('mallory')
  appId = (await newApp(user)).id
})
afterAll(async () => await berth[Symbol.asyncDispose]())

async function newApp(person: Person, name = 'app', project?: string) {
  n += 1
  const { id: projectId } = await person.call('projects.create', { name: project ?? `Project ${n}` })
  return await person.call('apps.create', { projectId, name })
}

/** Without the generated one. */
async function added(): Promise<string[]> {
  return (await user.call('domains.list', { appId })).filter(({ generated }) => !generated).map(({ domain }) => domain)
}

const long = (length: number) =>
  `${'a.'
    .repeat(length)
    .slice(0, length - 8)
    .replace(/\.$/, 'a')}.example`

const A_HUNDRED_THOUSAND = 'a'.repeat(100_000)
const BAD = {
  'ends in localhost': [
    '../../../foolocalhost',
    'x\nylocalhost',
    '*.x-localhost',
    'notlocalhost',
    '-localhost',
    `${'a'.repeat(300)}localhost`,
  ],
  'is localhost': ['localhost', 'LOCALHOST', 'localhost.', ' localhost ', 'localhost\n', '\tlocalhost', '*.localhost'],
  'is no name under localhost': ['../a.localhost', '../../../etc/passwd.localhost', `${'a'.repeat(300)}.localhost`],
  'has spaces under localhost': ['x y.localhost', 'x\ny.localhost', 'x\ty.localhost', 'x\r\ny.localhost', 'x\0y.localhost'],
  'has spaces': ['a b.example.org', 'a\nb.example.org', 'a.example.org\nb.example.org', 'a\tb.example.org', 'a\0.example.org'],
  'is the twin of another': ['ехample.org', 'exаmple.org', 'ｅxample.org', 'example。org', 'a.ｌｏｃａｌｈｏｓｔ', 'ſhop.example.org'],
  'is outside ASCII': ['bücher.example.org', 'a\u200B.example.org', 'a\u2028b.example.org', '\u202Ea.example.org'],
  'is an address': ['127.0.0.1', '127.1', '1.2.3.4.', '::1', '[::1]', '[::ffff:1.2.3.4]', '2001:db8::1', '0x7f.0.0.1', 'example.1'],
  'lacks a part': ['', ' ', '.', '..', 'a..example.org', '.example.org', 'a.example.org..', 'org'],
  'has another letter': ['*.example.org', 'a_b.example.org', '-a.example.org', 'a-.example.org', 'a@b.example.org', 'a\\b.example.org'],
  'is part of an address of a page': ['a.example.org/x', 'a.example.org:80', 'http://a.example.org', 'a.example.org#'],
  'is too long': [`${'a'.repeat(64)}.example.org`, long(254), `${long(254)}.`, A_HUNDRED_THOUSAND],
}

describe('a name that is not a host name', () => {
  it.each(Object.entries(BAD))('that %s is refused by its field, and leaves nothing', async (_kind, names) => {
    for (const domain of names) {
      const answer = await berth.raw('POST', '/api/apps/domains/create', { cookie: user.cookie, body: { appId, domain } })
      const fields = answer.json.details?.map(({ field }) => field)
      expect({ domain, status: answer.status, fields }).toEqual({ domain, status: 400, fields: ['domain'] })
      expect(await added()).toEqual([])
    }
  })

  it.each([
    ['Shop.Example.ORG.', 'shop.example.org'],
    ['localhost.example.org'],
    ['Shop.Localhost.', 'shop.localhost'],
    ['not-localhost.example.org'],
    ['xn--bcher-kva.example.org'],
    [long(253)],
  ])('%j is one, and works', async (given, shown = given) => {
    const domain = await user.call('domains.create', { appId, domain: given })
    expect(domain.domain).toBe(shown)
    expect(await added()).toEqual([shown])
    await user.call('domains.delete', { id: domain.id })
  })
})

it("a name below that of an app is for its project alone, also before there is an app: it could read the app's cookies", async () => {
  await using own = await startTestServer()
  const victim = await own.owner()
  const mallory = await own.as('mallory')
  const shop = await newApp(victim, 'shop', 'east')
  const { id } = await newApp(mallory, 'own', 'west')
  expect(shop.domains).toEqual(['shop-east.localhost'])
  for (const domain of ['x.shop-east.localhost', 'y.x.Shop-East.localhost.', 'x.next-east.localhost'])
    await expect(mallory.call('domains.create', { appId: id, domain })).rejects.toMatchObject({ code: 'domain_reserved' })
  for (const domain of ['www.own-west.localhost', 'a.www.own-west.localhost', 'next.localhost', 'x.next.localhost', 'a.b.example.org'])
    await mallory.call('domains.create', { appId: id, domain })
  await victim.call('domains.create', { appId: shop.id, domain: 'www.shop-east.localhost' })
})

it('whoever has a name below a free one keeps others from it, and apps are given another', async () => {
  await using own = await startTestServer()
  const victim = await own.owner()
  const mallory = await own.as('mallory')
  const { id: appId } = await newApp(mallory, 'own', 'west')
  const above = await mallory.call('domains.create', { appId, domain: 'shop-east.localhost' })
  await mallory.call('domains.create', { appId, domain: 'x.shop-east.localhost' })
  await mallory.call('domains.delete', { id: above.id })
  const shop = await newApp(victim, 'shop', 'east')
  expect(shop.domains).toEqual([`shop-east-${shop.id}.localhost`])
  const byHand = victim.call('domains.create', { appId: shop.id, domain: 'shop-east.localhost' })
  await expect(byHand).rejects.toMatchObject({ code: 'domain_taken' })
  await mallory.call('domains.create', { appId, domain: 'shop-east.localhost' })
})

describe('generated domains', () => {
  it('are names under localhost while only this machine opens the dashboard, for web and compose apps alone', async () => {
    await using own = await startTestServer()
    const { call } = await own.owner()
    const { id: projectId } = await call('projects.create', { name: 'West' })
    const types = ['web', 'compose', 'service'] as const
    const apps = await Promise.all(types.map(async (appType) => await call('apps.create', { projectId, name: `my ${appType}`, appType })))
    expect(apps.map(({ domains }) => domains)).toEqual([['my-web-west.localhost'], ['my-compose-west.localhost'], []])
    const [domain] = await call('domains.list', { appId: apps[0]?.id ?? 0 })
    expect(domain).toMatchObject({ generated: true, dnsStatus: 'ok', sslStatus: 'none', dnsRecords: [] })
    expect(domain?.url).toMatch(/^http:\/\/my-web-west\.localhost(:\d+)?\/$/)
    expect(apps.map(({ url }) => url)).toEqual([domain?.url, expect.stringContaining('my-compose-west.localhost'), ''])
  })

  it('are not made for a compose app that is created without visitors, also under another base', async () => {
    await using own = await startTestServer()
    const { call } = await own.owner()
    const { id: projectId } = await call('projects.create', { name: 'West' })
    const stack = { projectId, appType: 'compose' } as const
    const jobs = await call('apps.create', { ...stack, name: 'jobs', port: null })
    const site = await call('apps.create', { ...stack, name: 'site' })
    const hosts = async () => await Promise.all([jobs, site].map(async ({ id }) => (await call('apps.get', { appId: id })).domains))
    expect(await hosts()).toEqual([[], ['site-west.localhost']])
    await call('settings.update', { wildcardDomain: 'apps.example.test' })
    expect(await hosts()).toEqual([[], ['site-west.apps.example.test']])
  })

  it('move to the address by which an admin opens the dashboard, and a public one wins for good', async () => {
    await using own = await startTestServer()
    const owner = await own.owner()
    const user = await own.as('mallory')
    const { id: appId } = await newApp(owner, 'shop', 'east')
    const hosts = async () => (await owner.call('apps.get', { appId })).domains
    const visit = async (person: Person, host: string) => await own.raw('GET', '/api/auth/me', { cookie: person.cookie, headers: { host } })

    await visit(user, '203.0.113.9') // requests of a plain user have no effect
    await visit(owner, 'localhost:8080')
    expect(await hosts()).toEqual(['shop-east.localhost'])
    await visit(owner, '10.1.2.3:8080')
    await expect.poll(hosts, { timeout: 30_000 }).toEqual(['shop-east.10-1-2-3.sslip.io'])
    await visit(owner, '203.0.113.7')
    await expect.poll(hosts, { timeout: 30_000 }).toEqual(['shop-east.203-0-113-7.sslip.io'])
    await visit(owner, '10.1.2.3:8080')
    expect((await newApp(owner, 'next', 'west')).domains).toEqual(['next-west.203-0-113-7.sslip.io'])
    await owner.call('settings.update', { automaticDomain: 'nip.example' })
    expect(await hosts()).toEqual(['shop-east.203-0-113-7.nip.example'])
    await owner.call('settings.update', { automaticDomain: '' })
    expect(await hosts()).toEqual([])
  })

  it('move with the wildcard, which may be written with its star, and stay away once they were removed', async () => {
    await using own = await startTestServer()
    const { call } = await own.owner()
    const { id } = await newApp(await own.owner(), 'shop', 'east')
    const hosts = async () => (await call('apps.get', { appId: id })).domains
    await call('domains.create', { appId: id, domain: 'shop.example.org' })
    for (const wildcardDomain of ['apps.example.test', '*.example.test', 'apps.example.test', 'example.test'])
      expect(await call('settings.update', { wildcardDomain })).toMatchObject({ wildcardDomain: wildcardDomain.replace('*.', '') })
    expect(await hosts()).toEqual(['shop.example.org', 'shop-east.example.test'])
    const generated = (await call('domains.list', { appId: id })).find((domain) => domain.generated)
    await call('domains.delete', { id: generated?.id ?? 0 })
    await call('settings.update', { wildcardDomain: '*.Example.test', retention: 4 })
    expect(await hosts()).toEqual(['shop.example.org'])
    await call('settings.update', { wildcardDomain: '' })
    expect(await hosts()).toEqual(['shop.example.org', 'shop-east.localhost'])
  })

  it('are found for an app although somebody took its names beforehand', async () => {
    await using own = await startTestServer()
    const owner = await own.owner()
    const other = await own.as('mallory')
    const taker = await newApp(other, 'taker')
    const old = await newApp(owner, 'old', 'west')
    const names = ['shop-west', 'old-west', `old-west-${old.id}`]
    for (let ahead = 1; ahead <= 5; ahead += 1) names.push(`shop-west-${old.id + ahead}`, `shop-west-${old.id + ahead}-2`)
    for (const name of names) await other.call('domains.create', { appId: taker.id, domain: `${name}.apps.example.test` })

    await owner.call('settings.update', { wildcardDomain: 'apps.example.test', dashboardDomain: 'mine.apps.example.test' })
    const [oldHost = ''] = (await owner.call('apps.get', { appId: old.id })).domains
    expect(oldHost).toMatch(new RegExp(`^old-west-${old.id}-[0-9a-f]{8}\\.apps\\.example\\.test$`))
    const shop = await owner.call('apps.create', { projectId: old.project_id, name: 'shop' })
    expect(shop.domains).toHaveLength(1)
    expect(shop.domains[0]).toMatch(new RegExp(`^shop-west-${shop.id}-[0-9a-f]{8}\\.apps\\.example\\.test$`))
  })

  it('are never the name of the dashboard, with the id behind it neither', async () => {
    await using own = await startTestServer()
    const owner = await own.owner()
    const old = await newApp(owner, 'old', 'west')
    const next = old.id + 1
    await owner.call('settings.update', { wildcardDomain: 'apps.example.test', dashboardDomain: `shop-west-${next}.apps.example.test` })
    await owner.call('domains.create', { appId: old.id, domain: 'shop-west.apps.example.test' })
    const shop = await owner.call('apps.create', { projectId: old.project_id, name: 'shop' })
    expect([shop.id, shop.domains[0]]).toEqual([next, expect.stringMatching(/^shop-west-\d+-[0-9a-f]{8}\.apps\.example\.test$/)])
  })
})
