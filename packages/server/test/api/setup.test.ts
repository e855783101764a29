import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { databasePath } from '../../src/store/sqlite/open.ts'
import { OWNER, PASSWORD, startTestServer } from '../../testing/harness/start-test-server.ts'
import { cookieOf } from '../../testing/harness/test-client.ts'

const FIRST = { email: 'First@Example.test ', password: PASSWORD }

it('without an owner the start makes one link, which makes the first owner and logs in, once', async () => {
  await using berth = await startTestServer({ owner: 'none' })
  const token = berth.setupToken() ?? ''
  expect(token).toMatch(/^[\w-]{32}$/)
  const wrong = await berth.raw('POST', '/api/setup', { body: { ...FIRST, token: 'wrong' } })
  expect([wrong.status, wrong.json.code]).toEqual([401, 'wrong_setup_token'])
  const [one, two] = await Promise.all([0, 1].map(async () => await berth.raw('POST', '/api/setup', { body: { ...FIRST, token } })))
  expect(new Set([one?.status, two?.status])).toEqual(new Set([200, 409]))
  const winner = one?.status === 200 ? one : two
  expect(winner?.json.data).toEqual({ user: { id: 1, email: 'first@example.test', role: 'owner' } })
  const cookie = cookieOf(winner ?? { headers: {} })
  expect((await berth.raw('GET', '/api/auth/me', { cookie })).json.data).toMatchObject({ role: 'owner' })
  const again = await berth.raw('POST', '/api/setup', { body: { email: 'second@example.test', password: PASSWORD, token } })
  expect([again.status, again.json.code]).toEqual([409, 'already_set_up'])
})

it('each start makes a new link, and the old one is worth nothing', async () => {
  await using berth = await startTestServer({ owner: 'none' })
  const old = berth.setupToken() ?? ''
  await berth.restart()
  expect(berth.setupToken()).not.toBe(old)
  expect((await berth.raw('POST', '/api/setup', { body: { ...FIRST, token: old } })).json.code).toBe('wrong_setup_token')
  expect((await berth.raw('POST', '/api/setup', { body: { ...FIRST, token: berth.setupToken() } })).status).toBe(200)
})

it('the link is not kept anywhere, and never opens again', async () => {
  await using berth = await startTestServer({ owner: 'none' })
  const token = berth.setupToken() ?? ''
  await berth.raw('POST', '/api/setup', { body: { ...FIRST, token } })
  await berth.restart()
  expect(berth.setupToken()).toBeUndefined()
  expect(readFileSync(databasePath(berth.dataDir)).includes(token)).toBe(false)
  expect((await berth.raw('POST', '/api/setup', { body: { ...FIRST, token: '' } })).status).toBe(400)
})

it('with an owner in the environment there is no link, and a later change of it changes nobody', async () => {
  await using berth = await startTestServer()
  expect(berth.setupToken()).toBeUndefined()
  expect((await berth.owner()).role).toBe('owner')
  await berth.stop()
  await using other = await startTestServer({
    dataDir: berth.dataDir,
    env: { BERTH_OWNER_EMAIL: 'other@example.test', BERTH_OWNER_PASSWORD: 'other-password' },
  })
  await expect(other.logIn('other@example.test', 'other-password')).rejects.toThrow('wrong_credentials')
  expect((await other.logIn(OWNER.email, OWNER.password)).id).toBe(1)
})
