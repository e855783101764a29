import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFromManifest, install } from '../../server/testing/git-host/github-apps-api.ts'
import type { HostRepo } from '../../server/testing/git-host/model.ts'
import { deliveryHeaders, pushPayload } from '../../server/testing/git-host/payloads.ts'
import { type GitHostServer, startGitHost } from '../../server/testing/git-host/start-git-host.ts'
import { OWNER, startTestServer, type TestServer } from '../../server/testing/harness/start-test-server.ts'
import { createCli } from '../testing/run-cli.ts'

let host: GitHostServer
let server: TestServer
let repo: HostRepo
const { berth } = createCli()

beforeAll(async () => {
  host = await startGitHost('gitlab')
  const robot = host.addPerson('robot', 'a-good-token')
  repo = await host.addRepository('acme/shop', [robot], { Dockerfile: 'FROM scratch' })
  server = await startTestServer({ env: host.env, tuning: { engineWaitMs: 600_000, gitHooksMs: 100 } })
  await berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })
  await (await server.owner()).call('settings.update', { dashboardDomain: 'berth.example.com' })
  await berth(['projects', 'create', 'Shop'])
  await berth(['apps', 'create', 'web', '--project', 'Shop'])
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

it('a deploy hook is created and removed', async () => {
  expect((await berth(['apps', 'hook', 'rotate', 'web'])).out).toMatch(
    /^Address: https:\/\/berth.example.com\/api\/hooks\/deploy\/1\nSecret: +[\w-]{43}\n/,
  )
  expect((await berth(['apps', 'hook', 'delete', 'web', '--yes'])).out).toContain('Deploy hook of web removed')
})

it('a deploy key is created and removed', async () => {
  expect((await berth(['apps', 'deploy-key', 'create', 'web'])).out).toMatch(
    /^ssh-ed25519 \S{68} berth-app-1\nFingerprint: SHA256:\S{43}\n$/,
  )
  expect((await berth(['apps', 'deploy-key', 'forget-host', 'web', '--yes'])).out).toContain('The next deployment pins')
  expect((await berth(['apps', 'deploy-key', 'delete', 'web', '--yes'])).out).toContain('Deploy key of web removed')
})

it('an account is connected, used for an app, checked and disconnected', async () => {
  const connect = ['git', 'accounts', 'connect', '--provider', 'gitlab', '--url', host.origin, '--project', 'Shop']
  expect((await berth(connect, { input: 'a-wrong-token' })).err).toContain('does not accept the token')
  expect((await berth(connect, { input: 'a-good-token\n' })).out).toMatch(/^Git account robot connected \(id \d+\)/)
  expect((await berth(['git', 'accounts'])).out).toMatch(/robot +gitlab +https:\/\/localhost:\d+ +project 1 +ok +0/)
  expect((await berth(['git', 'repos', 'robot', '--search', 'shop'])).out).toMatch(/acme\/shop +main +yes/)
  expect((await berth(['git', 'branches', 'robot', 'acme/shop'])).out).toMatch(/main +[0-9a-f]{12} +yes/)
  expect((await berth(['apps', 'connect', 'web', 'acme/shop', '--account', 'robot'])).out).toContain('deploys from acme/shop')
  await expect.poll(() => host.model.hooks.length, { timeout: 30_000 }).toBe(1)
  expect((await berth(['apps', 'webhook', 'web'])).out).toMatch(/^active: https:\/\/berth\.example\.com/)
  const body = JSON.stringify(pushPayload(host.model, { repo, commit: 'a'.repeat(40) }))
  const [hook] = host.model.hooks
  if (!hook) throw new Error('the host has no webhook')
  const headers = deliveryHeaders(host.model, { secret: hook.secret, body })
  await berth(['apps', 'update', 'web', '--auto-deploy', 'off', '--watch', 'web/**'])
  const answer = await server.raw('POST', `/api/webhooks/git${new URL(hook.url).search}`, { body, headers })
  expect(answer.status).toBe(200)
  expect((await berth(['deliveries', 'web'])).out).toMatch(/Push Hook +acme\/shop +main +a{12} +ignored +web: auto-deploy is off/)
  expect((await berth(['deliveries', '--account', 'robot'])).out).toContain('web: auto-deploy is off')
  expect((await berth(['deliveries', 'show', '1'])).out).toContain('x-gitlab-event: Push Hook')
  await berth(['apps', 'update', 'web', '--auto-deploy', 'on', '--watch', 'none'])
  expect((await berth(['deliveries', 'redeliver', '1'])).out).toMatch(/^deployed\. Deployments: \d+/)
  expect((await berth(['git', 'accounts', 'check', 'robot'])).out).toBe('robot works.\n')
  expect((await berth(['git', 'accounts', 'delete', 'robot', '--yes'])).err).toContain('(account_in_use)')
  expect((await berth(['git', 'accounts', 'delete', 'robot', '--yes', '--force'])).code).toBe(0)
  expect((await berth(['git', 'repos', 'robot'])).err).toContain('(git_not_connected)')
})

it('a GitHub App that exists already is connected by its id, its key and its webhook secret', async () => {
  await using gitHub = await startGitHost('github')
  await using other = await startTestServer({ env: gitHub.env })
  await berth(['login', other.baseUrl, '--email', OWNER.email], { input: OWNER.password })
  const manifest = {
    name: 'By hand',
    redirect_url: 'https://x.test/a',
    setup_url: 'https://x.test/b',
    hook_attributes: { url: 'https://x.test/c' },
  }
  createFromManifest(gitHub.model, '', JSON.stringify(manifest))
  const [app] = gitHub.model.apps
  if (!app) throw new Error('the manifest created no app')
  install(gitHub.model, app, { login: 'acme', repositories: [] })
  const directory = mkdtempSync(path.join(tmpdir(), 'berth-cli-key-'))
  const key = path.join(directory, 'key.pem')
  writeFileSync(key, app.pem)
  const connect = ['git', 'apps', 'connect', String(app.id), '--key', key, '--url', gitHub.origin]
  const { out } = await berth(connect, { input: app.webhookSecret })
  expect(out).toMatch(/acme +ok/)
  expect(out).toMatch(/Set the webhook of the app at GitHub to http.*\/api\/webhooks\/git\?app=[\w-]{22}/)
  app.installations.length = 0
  expect((await berth(['git', 'accounts', 'check', 'acme'])).out).toContain('uninstalled the app')
  expect((await berth(['git', 'accounts'])).out).toContain('Install it again')
  expect((await berth(['git', 'accounts', 'delete', 'acme', '--yes'])).out).toContain('Uninstall the app at the host too')
  rmSync(directory, { recursive: true })
})
