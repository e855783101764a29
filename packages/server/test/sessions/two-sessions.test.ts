import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { cookieOf } from '../../testing/harness/test-client.ts'

let berth: TestServer
let attacker: string // the tokens alone
let victim: string
let victimPerson: Person

beforeAll(async () => {
  berth = await startTestServer()
  const token = ({ cookie }: Person) => cookie.slice(cookie.indexOf('=') + 1)
  victimPerson = await berth.as('victim')
  attacker = token(await berth.as('attacker'))
  victim = token(victimPerson)
})
afterAll(async () => await berth[Symbol.asyncDispose]())

const TLS = { 'x-forwarded-proto': 'https' } // as our own edge says it, from this machine
const me = async (cookie: string, headers: Record<string, string> = {}) => await berth.raw('GET', '/api/auth/me', { cookie, headers })
const plain = (token: string) => `berth_session=${token}`
const host = (token: string) => `__Host-berth_session=${token}`

describe('two session cookies in one request', () => {
  it('are nobody, in either order, and also when both are of the same person', async () => {
    for (const [first, second] of [
      [attacker, victim],
      [victim, attacker],
      [victim, victim],
      ['', victim],
      ['rubbish', victim],
    ] as const)
      for (const [name, headers] of [
        [plain, {}],
        [host, TLS],
      ] as const) {
        const answer = await me(`${name(first)}; ${name(second)}`, headers)
        expect([answer.status, answer.json.code, answer.json.error]).toEqual([
          401,
          'not_signed_in',
          expect.stringContaining('two session cookies'),
        ])
      }
    expect((await me(`${plain(victim)}; ${host(victim)}`)).status).toBe(401)
  })

  it('refuse a socket before the upgrade', async () => {
    await using doubled = await berth.connect('events', { cookie: `${plain(attacker)}; ${plain(victim)}` })
    expect([doubled.status, doubled.body]).toEqual([401, expect.stringContaining('two session cookies')])
    await using mixed = await berth.connect('events', { cookie: `${plain(attacker)}; ${host(victim)}` })
    expect(mixed.status).toBe(401)
    await using tls = await berth.connect('events', { cookie: `${plain(attacker)}; ${host(victim)}`, headers: TLS })
    expect(tls.status).toBe(101)
  })

  it('change nothing: the write is refused, and a logout ends no session', async () => {
    const cookie = `${plain(attacker)}; ${plain(victim)}`
    expect((await berth.raw('POST', '/api/projects/create', { cookie, body: { name: 'Whose?' } })).status).toBe(401)
    expect((await berth.raw('POST', '/api/auth/logout', { cookie })).status).toBe(401)
    expect(await victimPerson.call('projects.list')).toEqual([])
  })

  it('are no matter for a bearer header, which wins', async () => {
    const answer = await me(`${plain(attacker)}; ${plain(attacker)}`, { authorization: `Bearer ${victim}` })
    expect(answer.json.data).toMatchObject({ email: victimPerson.email })
  })

  it('are answered with the removal of what a neighbour can have set, and never of our own cookie', async () => {
    const { headers } = await me(`${plain(attacker)}; ${plain(victim)}`, { host: 'berth.example.com' })
    const removed = headers['set-cookie'] ?? []
    expect(removed).toContain('berth_session=; Path=/; Domain=example.com; Max-Age=0')
    expect(removed).toContain('berth_session=; Path=/api/; Domain=berth.example.com; Max-Age=0')
    expect(removed.filter((line) => /Path=\/(;|$)/.test(line) && !line.includes('Domain'))).toEqual([])
  })

  it('do not keep anybody from logging in', async () => {
    const answer = await berth.raw('POST', '/api/auth/login', {
      cookie: `${plain(attacker)}; ${plain('rubbish')}`,
      body: { email: victimPerson.email, password: PASSWORD },
      headers: { host: 'berth.example.com' },
    })
    expect(answer.status).toBe(200)
    expect((await me(cookieOf(answer))).json.data).toMatchObject({ email: victimPerson.email })
    expect(answer.headers['set-cookie']).toContain('berth_session=; Path=/; Domain=example.com; Max-Age=0')
  })
})

describe('over TLS', () => {
  it('the cookie is one that no other host can set, and a plain one beside it counts for nothing', async () => {
    const answer = await berth.raw('POST', '/api/auth/login', {
      body: { email: victimPerson.email, password: PASSWORD },
      headers: TLS,
    })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-berth_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/),
    ])
    for (const cookie of [`${plain(attacker)}; ${cookieOf(answer)}`, `${cookieOf(answer)}; ${plain(attacker)}`])
      expect((await me(cookie, TLS)).json.data).toMatchObject({ email: victimPerson.email })
  })

  it('a plain cookie alone is nobody, because a neighbour may have set it before anybody logged in', async () => {
    for (const cookie of [plain(attacker), `${plain(attacker)}; ${plain(victim)}`]) {
      const answer = await me(cookie, TLS)
      expect([answer.status, answer.json.code]).toEqual([401, 'not_signed_in'])
      expect((await berth.raw('POST', '/api/projects/create', { cookie, headers: TLS, body: { name: 'Whose?' } })).status).toBe(401)
      await using socket = await berth.connect('events', { cookie, headers: TLS })
      expect(socket.status).toBe(401)
    }
    expect((await me(plain(attacker))).status).toBe(200)
  })

  it('many plain ones from a neighbour keep nobody out', async () => {
    expect((await me(`${host(victim)}; ${plain(attacker)}; ${plain('rubbish')}`, TLS)).json.data).toMatchObject({
      email: victimPerson.email,
    })
  })

  it('a browser that still has the plain one logs in once more, and gives it up with that, or with a logout', async () => {
    const login = { email: 'mover@example.test', password: PASSWORD }
    const { cookie: old } = await berth.as('mover')
    expect((await me(old, TLS)).status).toBe(401)
    const again = await berth.raw('POST', '/api/auth/login', { cookie: old, body: login, headers: TLS })
    expect(again.headers['set-cookie']?.[1]).toMatch(/^berth_session=; Path=\/; .*Max-Age=0; Secure$/)
    const both = `${old}; ${cookieOf(again)}`
    expect((await me(both, TLS)).status).toBe(200)
    const out = await berth.raw('POST', '/api/auth/logout', { cookie: both, headers: TLS })
    expect(out.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-berth_session=; .*Max-Age=0/),
      expect.stringMatching(/^berth_session=; .*Max-Age=0/),
    ])
  })

  it('is what our own edge says, and nobody who comes from elsewhere', async () => {
    // `originOf` believes the header from loopback alone; its own test has the addresses
    expect((await me(host(victim))).status).toBe(200)
    expect((await me(`${plain(attacker)}; ${host(victim)}`, { 'x-forwarded-proto': 'http' })).status).toBe(401)
  })
})
