import { readFileSync, statSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER, PASSWORD, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { cookieOf } from '../../testing/harness/test-client.ts'

let berth: TestServer
beforeAll(async () => {
  berth = await startTestServer()
})
afterAll(async () => await berth[Symbol.asyncDispose]())

async function statusOf(cookie: string, server = berth): Promise<number> {
  return (await server.raw('GET', '/api/auth/me', { cookie })).status
}
const tokenOf = (cookie: string) => cookie.slice('berth_session='.length)
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a session', () => {
  it('of one server is worth nothing on another, and a restart keeps it', async () => {
    await using first = await startTestServer()
    await using second = await startTestServer()
    const { cookie } = await first.owner()
    expect([await statusOf(cookie, first), await statusOf(cookie, second)]).toEqual([200, 401])
    await first.restart()
    expect(await statusOf(cookie, first)).toBe(200)
  })

  it('is signed by a key that nobody else can read', () => {
    for (const name of ['session.key', 'secrets.key']) {
      const file = path.join(berth.dataDir, name)
      expect([name, statSync(file).mode & 0o777, readFileSync(file).length]).toEqual([name, 0o600, 32])
    }
    expect(statSync(berth.dataDir).mode & 0o777).toBe(0o700)
  })

  it('cannot be read any more without the keys, so a missing key refuses the start', async () => {
    for (const name of ['secrets.key', 'session.key']) {
      await using server = await startTestServer()
      unlinkSync(path.join(server.dataDir, name))
      await expect(server.restart()).rejects.toThrow(/is missing although there is a database; restore it/)
    }
  })

  it('sets a cookie that scripts and other sites cannot use, and no domain', async () => {
    const answer = await berth.raw('POST', '/api/auth/login', { body: OWNER })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^berth_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/),
    ])
    expect(answer.json).toEqual({ success: true, data: { user: { id: 1, email: OWNER.email, role: 'owner' } } })
    expect(answer.text).not.toContain(tokenOf(cookieOf(answer)))
  })

  it('is Secure when our own edge says that the request came over TLS', async () => {
    const answer = await berth.raw('POST', '/api/auth/login', { body: OWNER, headers: { 'x-forwarded-proto': 'https' } })
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure$/)
  })

  it('can be carried by a bearer header, which wins over the cookie; never by the address', async () => {
    const { cookie } = await berth.owner()
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    expect((await berth.raw('GET', '/api/auth/me', { headers: bearer(tokenOf(cookie)) })).status).toBe(200)
    expect((await berth.raw('GET', '/api/auth/me', { cookie, headers: bearer('wrong') })).status).toBe(401)
    for (const name of ['token', 'access_token', 'berth_session'])
      expect((await berth.raw('GET', `/api/auth/me?${name}=${tokenOf(cookie)}`)).status).toBe(401)
  })
})

describe('a forged token', () => {
  it('is nobody, whatever it looks like', async () => {
    const { cookie, id } = await berth.owner()
    const [header = '', payload = '', signature = ''] = tokenOf(cookie).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown> // our own token
    const sign = async (key: string | Buffer, alg = 'HS256', extra: object = {}) =>
      await new SignJWT({ ...claims, ...extra }).setProtectedHeader({ alg }).sign(Buffer.from(key))
    const other = { ...claims, sub: '2' }
    const forged = [
      `${base64({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      `${base64({ alg: 'None' })}.${payload}.${signature}`,
      `${base64({ alg: 'RS256', typ: 'JWT' })}.${payload}.${signature}`,
      `${header}.${base64(other)}.${signature}`,
      `${header}.${base64({ ...claims, role: 'owner' })}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      await sign(Buffer.alloc(32)),
      ...(await Promise.all(
        ['secret', 'changeme', 'berth', 'your-256-bit-secret'].map(async (key) => await sign(key.padEnd(32, '\u0000'))),
      )),
      await sign(Buffer.alloc(64), 'HS512'),
      'garbage',
      '..',
      'a.b.c',
      `${id}`,
      'x'.repeat(12_000),
    ]
    for (const token of forged) expect([token.slice(0, 80), await statusOf(`berth_session=${token}`)]).toEqual([token.slice(0, 80), 401])
    expect(await statusOf(cookie)).toBe(200)
  })

  it('that is signed with the right key for a session that is gone, or that has expired, is nobody', async () => {
    const key = readFileSync(path.join(berth.dataDir, 'session.key'))
    const now = Math.floor(Date.now() / 1000)
    const make = async (sid: string, exp: number) =>
      await new SignJWT({ sid })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('1')
        .setIssuedAt(now - 100)
        .setExpirationTime(exp)
        .sign(key)
    expect(await statusOf(`berth_session=${await make('no-such-session', now + 1000)}`)).toBe(401)
    const { cookie } = await berth.owner()
    const { sid } = JSON.parse(Buffer.from(tokenOf(cookie).split('.')[1] ?? '', 'base64url').toString()) as { sid: string } // our own token
    expect(await statusOf(`berth_session=${await make(sid, now + 1000)}`)).toBe(200)
    expect(await statusOf(`berth_session=${await make(sid, now - 1000)}`)).toBe(401)
  })

  it('of 64 KB is refused, and the server goes on', async () => {
    const { hostname, port } = new URL(berth.baseUrl)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined) // the server does not read such a head to its end
    socket.write(`GET /api/auth/me HTTP/1.1\r\nHost: x\r\nCookie: berth_session=${'x'.repeat(64 * 1024)}\r\n\r\n`)
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    await new Promise((resolve) => socket.on('close', resolve))
    expect(answer).toMatch(/^(HTTP\/1\.1 431 |$)/)
    expect((await berth.raw('GET', '/health')).status).toBe(200)
  })
})

describe('revocation', () => {
  it('a logout ends that session alone, and closes its open sockets', async () => {
    const first = await berth.as('leaver')
    const second = await berth.logIn('leaver@example.test', PASSWORD)
    await using own = await berth.connect('events', { cookie: second.cookie })
    await using other = await berth.connect('events', { cookie: first.cookie })
    expect([own.status, other.status]).toEqual([101, 101])
    const answer = await berth.raw('POST', '/api/auth/logout', { cookie: second.cookie })
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^berth_session=; .*Max-Age=0/)
    expect([await statusOf(second.cookie), await statusOf(first.cookie)]).toEqual([401, 200])
    expect(await own.closed).toBe(1008)
    await first.call('auth.me', {})
    expect(other.problems).toEqual([])
  })

  it('a logout without a session is 401, and still clears the cookie', async () => {
    const answer = await berth.raw('POST', '/api/auth/logout')
    expect([answer.status, answer.json.code]).toEqual([401, 'not_signed_in'])
    expect(answer.headers['set-cookie']?.[0]).toMatch(/Max-Age=0/)
  })

  it('deleting a person, a new role and a new password end their sessions at the next request, and their sockets', async () => {
    const owner = await berth.owner()
    const ways: [string, (id: number) => Promise<unknown>][] = [
      ['deleted', async (id) => await owner.call('users.delete', { id })],
      ['promoted', async (id) => await owner.call('users.update', { id, role: 'admin' })],
      ['reset', async (id) => await owner.call('users.update', { id, password: 'another-password' })],
    ]
    const sockets = await Promise.all(
      ways.map(async ([name, end]) => {
        const person = await berth.as(name)
        const socket = await berth.connect('metrics', { cookie: person.cookie })
        expect(socket.status).toBe(101)
        await end(person.id)
        expect([name, await statusOf(person.cookie)]).toEqual([name, 401])
        return socket
      }),
    )
    expect(await Promise.all(sockets.map(async (socket) => await socket.closed))).toEqual([1008, 1008, 1008])
  })

  it('a demoted admin is no admin at once', async () => {
    const owner = await berth.owner()
    const { id } = await berth.as('demoted', 'admin')
    await owner.call('users.update', { id, role: 'user' })
    const again = await berth.logIn('demoted@example.test', PASSWORD)
    await expect(again.call('users.list')).rejects.toMatchObject({ code: 'not_allowed' })
  })

  it("changing one's own password needs the current one, and ends the other sessions", async () => {
    const first = await berth.as('changer')
    const second = await berth.logIn('changer@example.test', PASSWORD)
    const change = { currentPassword: PASSWORD, newPassword: 'a-new-password' }
    await expect(first.call('auth.password', { ...change, currentPassword: 'wrong' })).rejects.toMatchObject({ code: 'not_allowed' })
    await first.call('auth.password', change)
    expect([await statusOf(first.cookie), await statusOf(second.cookie)]).toEqual([200, 401])
    await expect(berth.logIn('changer@example.test', PASSWORD)).rejects.toThrow('wrong_credentials')
    await berth.logIn('changer@example.test', 'a-new-password')
  })

  it('a removed member loses the project at once, and the sockets on its deployments', async () => {
    const owner = await berth.owner()
    const member = await berth.as('removed')
    const project = await owner.call('projects.create', { name: 'Left' })
    await owner.call('projects.members', { id: project.id, userIds: [member.id] })
    const app = await owner.call('apps.create', { projectId: project.id, name: 'app' })
    expect((await member.call('apps.get', { appId: app.id })).id).toBe(app.id)
    await using events = await berth.connect('events', { cookie: member.cookie })
    await events.waitFor(({ type }) => type === 'ready')
    await owner.call('projects.members', { id: project.id, userIds: [] })
    await expect(member.call('apps.get', { appId: app.id })).rejects.toMatchObject({ code: 'app_not_found' })
    const frame = await events.waitFor(({ type }) => type === 'project.members_changed')
    expect(frame.data).toEqual({ projectId: project.id, removedUserIds: [member.id] })
    const seen = events.frames.length
    await owner.call('apps.update', { appId: app.id, description: 'nothing for them' })
    await owner.call('users.update', { id: member.id, email: 'removed@example.test' })
    await events.waitFor(({ type }) => type === 'user.changed')
    expect(events.frames.slice(seen).map(({ type }) => type)).toEqual(['user.changed'])
  })
})

describe('logging in', () => {
  it('says the same of an unknown e-mail and of a wrong password', async () => {
    const unknown = await berth.raw('POST', '/api/auth/login', { body: { email: 'nobody@example.test', password: 'x' } })
    const wrong = await berth.raw('POST', '/api/auth/login', { body: { email: OWNER.email, password: 'x' } })
    expect([unknown.status, unknown.json.code]).toEqual([401, 'wrong_credentials'])
    expect(wrong.text).toBe(unknown.text)
    expect(wrong.headers['set-cookie']).toBeUndefined()
  })

  it('does not mind case and spaces in the e-mail', async () => {
    expect((await berth.logIn(`  ${OWNER.email.toUpperCase()} `, OWNER.password)).id).toBe(1)
  })

  it('is slowed down after failures of one account, from whatever address, and never refused', async () => {
    await berth.as('target')
    const attempt = async (password: string, address: string) => {
      const body = { email: 'target@example.test', password }
      return (await berth.raw('POST', '/api/auth/login', { body, headers: { 'x-forwarded-for': address } })).status
    }
    const from = performance.now()
    for (let n = 0; n < 8; n += 1) expect(await attempt('wrong', `203.0.113.${n}`)).toBe(401)
    expect(await attempt(PASSWORD, '198.51.100.1')).toBe(200)
    expect(performance.now() - from).toBeGreaterThan(1400) // after the fifth failure 100, 200, 400 and 800 ms
    expect(await attempt(PASSWORD, '198.51.100.1')).toBe(200)
  })

  it('refuses a password of a megabyte before it is read, and one of ten kilobytes before it is checked', async () => {
    const logIn = async (password: string) => await berth.raw('POST', '/api/auth/login', { body: { email: OWNER.email, password } })
    expect((await logIn('x'.repeat(1_000_000))).json.code).toBe('body_too_large')
    const answer = await logIn('x'.repeat(10_000))
    expect([answer.status, answer.json.details?.[0]?.field]).toEqual([400, 'password'])
  })
})

describe('other sites', () => {
  const FOREIGN = ['https://evil.example', 'null', 'http://app.localhost', 'http://127.0.0.1', 'https://127.0.0.1:1']

  it.each(FOREIGN)('cannot change anything through a browser: %s', async (origin) => {
    const { cookie } = await berth.owner()
    for (const [method, address] of [
      ['POST', '/api/projects/create'],
      ['PUT', '/api/projects/update'],
      ['DELETE', '/api/projects/delete'],
      ['POST', '/api/auth/login'],
    ] as const) {
      const answer = await berth.raw(method, address, { cookie, body: { name: 'x' }, headers: { origin } })
      expect([method, answer.status, answer.json.code]).toEqual([method, 403, 'foreign_origin'])
    }
  })

  it('our own page can, and programs without an origin can', async () => {
    const { cookie } = await berth.owner()
    const create = async (headers: Record<string, string>) =>
      (await berth.raw('POST', '/api/projects/create', { cookie, body: { name: 'x' }, headers })).status
    expect(await create({ origin: berth.baseUrl })).toBe(200)
    expect(await create({})).toBe(200)
    expect(await create({ 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await create({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  })
})

describe('every answer', () => {
  it.each(['/health', '/api/auth/me', '/api/nothing', '/openapi.json', '/docs', '/', '/api//x', '/api/projects/x'])(
    'carries the headers that browsers need, and its id: %s',
    async (address) => {
      const { headers } = await berth.raw('GET', address)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['content-security-policy']).toMatch(/script-src 'self';.*frame-ancestors 'none'/)
      expect(headers['content-security-policy']).not.toContain('unsafe')
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  it('has an id of ours, whatever the caller sends, and the log has the same', async () => {
    const answer = await berth.raw('GET', '/health', { headers: { 'x-request-id': 'mine' } })
    const id = String(answer.headers['x-request-id'])
    expect(id).not.toBe('mine')
    expect(berth.log()).toContain(id)
  })
})

describe('odd addresses', () => {
  const ADDRESSES = [
    '//api/auth/me',
    '/api//auth/me',
    '/api/./auth/me',
    '/api/x/../auth/me',
    '/api%2fauth%2fme',
    '/api/%2e%2e/api/auth/me',
    '/%61pi/auth/me',
    '/API/AUTH/ME',
    '/api/auth/me/',
    '/api/auth/me%00',
    '/api/auth/me;x=1',
    '/api\\auth\\me',
    '/api/auth/%6de',
    '/api/auth/me%',
    '/api/auth/me%zz',
    '/health/../api/auth/me',
    '/docs/..;/api/auth/me',
  ]
  it.each(ADDRESSES)('never get past the login: %s', async (address) => {
    const answer = await berth.raw('GET', address)
    expect(answer.text).not.toContain('"role"')
    expect([200, 400, 401, 404]).toContain(answer.status)
    const isPage = answer.status === 200 && String(answer.headers['content-type']).includes('text/html') // of the dashboard
    expect(isPage || (answer.json.success === false && answer.json.code !== undefined)).toBe(true)
  })

  it('are invalid_path where two readers could disagree', async () => {
    for (const address of ['//api/auth/me', '/api/./auth/me', '/api%2fauth/me'])
      expect((await berth.raw('GET', address)).json.code).toBe('invalid_path')
  })

  it.each(['x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url'])('%s changes nothing', async (header) => {
    const value = header.includes('url') ? '/health' : 'GET'
    const answer = await berth.raw('POST', '/api/auth/logout', { headers: { [header]: value } })
    expect(answer.status).toBe(401)
  })
})
