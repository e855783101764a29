import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitHostServer, startGitHost } from '../../server/testing/git-host/start-git-host.ts'
import { OWNER, startTestServer, type TestServer } from '../../server/testing/harness/start-test-server.ts'
import { createCli } from '../testing/run-cli.ts'

let host: GitHostServer
let server: TestServer
const { berth } = createCli()

beforeAll(async () => {
  host = await startGitHost('gitlab')
  const robot = host.addPerson('robot', 'a-good-token')
  await host.addRepository('acme/shop', [robot], { Dockerfile: 'FROM scratch' })
  server = await startTestServer({ env: host.env, tuning: { engineWaitMs: 600_000 } })
  await berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })
  await berth(['projects', 'create', 'Shop'])
  await berth(['apps', 'create', 'web', '--project', 'Shop'])
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

it('an account is connected, used for an app, checked and disconnected', async () => {
  const connect = ['git', 'accounts', 'connect', '--provider', 'gitlab', '--url', host.origin, '--project', 'Shop']
  expect((await berth(connect, { input: 'a-wrong-token' })).err).toContain('does not accept the token')
  expect((await berth(connect, { input: 'a-good-token\n' })).out).toMatch(/^Git account robot connected \(id \d+\)/)
  expect((await berth(['git', 'accounts'])).out).toMatch(/robot +gitlab +https:\/\/localhost:\d+ +project 1 +ok +0/)
  expect((await berth(['git', 'repos', 'robot', '--search', 'shop'])).out).toMatch(/acme\/shop +main +yes/)
  expect((await berth(['git', 'branches', 'robot', 'acme/shop'])).out).toMatch(/main +[0-9a-f]{12} +yes/)
  expect((await berth(['apps', 'connect', 'web', 'acme/shop', '--account', 'robot'])).out).toContain('deploys from acme/shop')
  expect((await berth(['git', 'accounts', 'check', 'robot'])).out).toBe('robot works.\n')
  expect((await berth(['git', 'accounts', 'delete', 'robot', '--yes'])).err).toContain('(account_in_use)')
  expect((await berth(['git', 'accounts', 'delete', 'robot', '--yes', '--force'])).code).toBe(0)
  expect((await berth(['git', 'repos', 'robot'])).err).toContain('(git_not_connected)')
})
