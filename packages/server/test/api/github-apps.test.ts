import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { browse } from '../../testing/git-host/browse.ts'
import { back, connectGitHubApp } from '../../testing/git-host/connect-github-app.ts'
import { install } from '../../testing/git-host/github-apps-api.ts'
import type { HostApp, HostInstallation, HostRepo } from '../../testing/git-host/model.ts'
import { deliveryHeaders, installationPayload, type PushOptions, pushPayload } from '../../testing/git-host/payloads.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { writeRows } from '../../testing/harness/write-rows.ts'

type Answer = { result: string; reason: string; deployments: number[] }

describe('a GitHub App', () => {
  let host: GitHostServer
  let berth: TestServer
  let ada: Person
  let projectId: number
  let shop: HostRepo
  let n = 0

  beforeAll(async () => {
    host = await startGitHost('github')
    shop = await host.addRepository('acme/shop', [], { Dockerfile: 'FROM scratch' })
    for (let each = 0; each < 250; each += 1) await host.addRepository(`acme/other-${each}`, [])
    host.model.nextInstall.repositories = [...host.model.repositories.keys()]
    await host.addRepository('acme/not-chosen', [], { Dockerfile: 'FROM scratch' })
    berth = await startTestServer({
      env: { ...host.env, BERTH_LOG_LEVEL: 'trace' },
      tuning: { resolveAtAddMs: 20_000, engineWaitMs: 600_000, gitHooksMs: 100 },
    })
    await (await berth.owner()).call('settings.update', { dashboardDomain: 'berth.example.com' })
  })
  afterAll(async () => {
    await berth[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    ada = await berth.as(`ada-${(n += 1)}`)
    projectId = (await ada.call('projects.create', { name: `Shop ${n}` })).id
    host.requests.length = 0
  })

  const walk = async (person = ada, more: { projectId?: number; organization?: string } = { projectId }) =>
    await connectGitHubApp({ host, berth, person }, more)
  const onlyAccount = async () => {
    const [account, ...others] = await ada.call('git.accounts')
    expect(others).toEqual([])
    if (!account) throw new Error('no account')
    return account
  }
  async function deliver(app: HostApp, body: string, event: string, id?: string) {
    const { pathname, search } = new URL(app.hookUrl)
    const headers = deliveryHeaders(host.model, { secret: app.webhookSecret, body, event, ...(id && { id }) })
    const answer = await berth.raw('POST', pathname + search, { body, headers })
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return answer.json.data as Answer // the schema of the answer, which the client checks
  }
  const push = (installation: HostInstallation, more: Partial<PushOptions> = {}) =>
    JSON.stringify(pushPayload(host.model, { repo: shop, commit: 'a'.repeat(40), installation: installation.id, ...more }))
  const tell = async (app: HostApp, installation: HostInstallation, action: string) =>
    await deliver(app, JSON.stringify(installationPayload(host.model, app, installation, action)), 'installation')

  it('is created by a manifest, installed, lists its repositories, and gives an app a private one', async () => {
    const asked = await ada.call('git.githubManifest', { baseUrl: host.origin, organization: 'acme', name: 'Berth of Ada', projectId })
    expect(asked.action).toBe(`${host.origin}/organizations/acme/settings/apps/new?state=${asked.state}`)
    expect(JSON.parse(asked.manifest)).toMatchObject({
      name: 'Berth of Ada',
      hook_attributes: { url: expect.stringMatching(/^https:\/\/berth\.example\.com\/api\/webhooks\/git\?app=[\w-]{22}$/) },
      redirect_url: `${berth.baseUrl}/api/git/github/created`, // where the session is
      setup_url: `${berth.baseUrl}/api/git/github/installed`,
      public: false,
      default_permissions: { contents: 'read', metadata: 'read' },
      default_events: ['push'],
    })
    const { app, end } = await walk()
    expect(end).toBe(`/projects/${projectId}/git?github=connected`)
    const account = await onlyAccount()
    expect(account).toMatchObject({
      provider: 'github',
      via: 'app',
      name: 'acme',
      baseUrl: host.origin,
      projectId,
      status: 'ok',
      warning: '',
    })

    const installationId = account.id
    const repos = await ada.call('git.repos', { installationId })
    expect(repos.length).toBe(251)
    expect(host.requests.filter(({ url }) => url.startsWith('/api/v3/installation/repositories')).length).toBe(3)
    const source = { gitProviderId: account.id, gitRepository: 'acme/shop', gitBranch: 'main' }
    const { id: appId } = await ada.call('apps.create', { projectId, name: 'web', ...source })
    expect((await ada.call('deployments.add', { appId })).commit_hash).toBe(shop.git?.hash)
    expect(await ada.call('apps.webhook', { appId })).toEqual({ status: 'active', error: '', warning: '', url: app.hookUrl })
    await expect(ada.call('apps.update', { appId, ...source, gitRepository: 'acme/not-chosen' })).rejects.toMatchObject({
      code: 'repository_not_found',
      message: expect.stringContaining('The app is not installed on this repository'),
    })
    expect(host.requests.filter(({ url }) => url.endsWith('/access_tokens')).length).toBe(1) // the others share it

    const [installation] = app.installations
    const body = installation ? push(installation) : ''
    const answers = await Promise.all(['d', 'd', 'd', 'other', 'id'].map(async (id) => await deliver(app, body, 'push', `${id}-1`)))
    expect(new Set(answers.map(({ deployments }) => deployments.join())).size).toBe(1)
    expect(answers[0]).toMatchObject({ result: 'deployed', deployments: [expect.any(Number)] })
    expect((await ada.call('deployments.list', { appId })).filter(({ trigger }) => trigger === 'webhook').length).toBe(1)
    expect((await ada.call('webhooks.deliveries', { accountId: account.id })).length).toBe(1)
  })

  it('keeps its key, its secret and its tokens to itself', async () => {
    const { app } = await walk()
    const { id: installationId } = await onlyAccount()
    await ada.call('git.repos', { installationId, search: 'shop' })
    const owner = await berth.owner()
    const answers = JSON.stringify([await ada.call('git.accounts'), await owner.call('audit.list', {}), await owner.call('git.accounts')])
    const files = ['', '-wal'].map(async (end) => await readFile(`${berth.dataDir}/berth.sqlite${end}`, 'latin1').catch(() => ''))
    const pem = app.pem.split('\n').slice(1, -2)
    const tokens = host.model.people.filter(({ isInstallation }) => isInstallation).map(({ token }) => token)
    expect(tokens.length).toBeGreaterThan(0)
    for (const text of [answers, berth.log(), ...(await Promise.all(files))])
      for (const secret of [app.webhookSecret, ...tokens, ...pem]) expect(text.includes(secret)).toBe(false)
    expect(host.requests.every(({ url }) => !tokens.some((token) => url.includes(token)))).toBe(true)
  })

  it('is not linked by a state that is foreign, forged, used, of another step or too old', async () => {
    const eve = await berth.as(`eve-${n}`)
    const begin = async () => {
      const { action, manifest } = await ada.call('git.githubManifest', { baseUrl: host.origin })
      return await browse(host, action, { manifest })
    }
    const created = await begin()
    expect(await back(berth, eve, created)).toBe('/account/git?github=wrong_state')
    const forged = new URL(created)
    forged.searchParams.set('state', 'x'.repeat(43))
    expect(await back(berth, ada, forged)).toBe('/account/git?github=wrong_state')
    forged.pathname = '/api/git/github/installed'
    forged.searchParams.set('state', created.searchParams.get('state') ?? '')
    expect(await back(berth, ada, forged)).toBe('/account/git?github=wrong_state')
    const again = await berth.logIn(ada.email, 'a-good-password')
    expect(await back(berth, again, created)).toBe('/account/git?github=wrong_state') // another session of the same person
    expect(host.requests.some(({ url }) => url.includes('/conversions'))).toBe(false)

    const install = await back(berth, ada, created)
    expect(install).toContain('/installations/new?state=')
    expect(await back(berth, ada, created)).toBe('/account/git?github=wrong_state') // used
    const installed = await browse(host, install)
    const stolen = new URL(installed)
    stolen.searchParams.set('installation_id', '70999999') // of another app, which GitHub does not show to this one
    expect(await back(berth, ada, stolen)).toBe('/account/git?github=not_installed')
    expect(await back(berth, ada, installed)).toBe('/account/git?github=wrong_state')

    const late = await begin()
    const expired = { expires_at: '2020-01-01T00:00:00.000Z' }
    await writeRows(berth, async (tx) => await tx.updateTable('github_state').set(expired).execute())
    expect(await back(berth, ada, late)).toBe('/account/git?github=wrong_state')
    const refused = await begin()
    refused.searchParams.set('code', 'not-a-code')
    expect(await back(berth, ada, refused)).toBe('/account/git?github=not_created')
    const waiting = await browse(host, await back(berth, ada, await begin()))
    waiting.searchParams.delete('installation_id')
    waiting.searchParams.set('setup_action', 'request')
    expect(await back(berth, ada, waiting)).toBe('/account/git?github=requested')
    const away = await begin()
    host.setHabit({ kind: 'answer', status: 502, body: {} })
    expect(await back(berth, ada, away)).toBe('/account/git?github=host_unavailable')
    host.setHabit(undefined)
    expect(await ada.call('git.accounts')).toEqual([])
    expect((await berth.raw('GET', '/api/git/github/created', {})).status).toBe(401)
  })

  it('tells when it is suspended, uninstalled or installed elsewhere, and deploys nothing meanwhile', async () => {
    const { app } = await walk()
    const { id } = await onlyAccount()
    const [installation] = app.installations
    if (!installation) throw new Error('not installed')
    const { id: appId } = await ada.call('apps.create', { projectId, name: 'web', gitProviderId: id, gitRepository: 'acme/shop' })

    installation.suspendedAt = '2026-02-02T00:00:00Z'
    expect((await tell(app, installation, 'suspend')).reason).toContain('has suspended the app')
    expect(await onlyAccount()).toMatchObject({ status: 'suspended', error: expect.stringContaining('Unsuspend it') })
    await expect(ada.call('git.repos', { installationId: id })).rejects.toMatchObject({
      code: 'git_account_refused',
      message: expect.stringContaining('suspended'),
    })
    expect((await ada.call('apps.webhook', { appId })).status).toBe('failed')
    const look = { projectId, gitCloneUrl: `${host.origin}/acme/shop.git`, gitProviderId: id }
    await expect(ada.call('apps.checkSource', look)).rejects.toMatchObject({ message: expect.stringContaining('suspended') })
    installation.suspendedAt = null
    await tell(app, installation, 'unsuspend')
    expect(await onlyAccount()).toMatchObject({ status: 'ok', error: '' })
    for (const person of host.model.people) if (person.isInstallation) person.isRevoked = true
    expect((await ada.call('git.repos', { installationId: id, search: 'shop' })).length).toBe(1) // with a new token
    installation.repositories.delete(shop.id)
    const noLonger = 'The app is not installed on this repository'
    expect((await ada.call('apps.checkSource', look)).message).toContain(noLonger) // git hears of it as of any that is not there
    installation.repositories.add(shop.id)

    const second = install(host.model, app, { login: 'other-org', repositories: [shop.id] })
    expect((await deliver(app, push(second), 'push')).reason).toContain('not connected here')
    await tell(app, second, 'created')
    const accounts = await ada.call('git.accounts')
    expect(accounts.map(({ name, projectId: of }) => [name, of])).toEqual([
      ['acme', projectId],
      ['other-org', projectId],
    ])
    expect((await deliver(app, push(second), 'push')).reason).toContain('No app deploys from acme/shop') // with that account
    app.installations.shift()
    expect(await ada.call('git.checkAccount', { id })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('uninstalled the app'),
    })
    app.installations.unshift(installation)
    expect(await ada.call('git.checkAccount', { id })).toMatchObject({ status: 'ok', error: '' })
    app.installations.shift()
    await tell(app, installation, 'deleted')
    expect((await ada.call('git.accounts'))[0]).toMatchObject({ status: 'error', error: expect.stringContaining('Install it again') })
    await expect(ada.call('git.repos', { installationId: id })).rejects.toMatchObject({ message: expect.stringContaining('uninstalled') })
    await ada.call('git.deleteAccount', { id, force: true })
    await ada.call('git.deleteAccount', { id: accounts[1]?.id ?? 0 })
    const gone = await berth.raw('POST', new URL(app.hookUrl).pathname + new URL(app.hookUrl).search, {
      body: '{}',
      headers: deliveryHeaders(host.model, { secret: app.webhookSecret, body: '{}' }),
    })
    expect(gone.status).toBe(401) // with the last account its key and its secret went
  })

  it('gets a new token before the old one ends, and several who ask at once share one', async () => {
    const { app } = await walk()
    const { id: installationId } = await onlyAccount()
    const tokensAt = `/installations/${app.installations[0]?.id}/access_tokens` // other tests' webhooks are looked after meanwhile
    const made = () => host.requests.filter(({ url }) => url.endsWith(tokensAt)).length
    const ask = async () => await ada.call('git.branches', { installationId, repoFullName: 'acme/shop' })
    await Promise.all([ask(), ask(), ask()])
    expect(made()).toBe(1)
    await ask()
    expect(made()).toBe(1)
    host.model.tokenLifeMs = 10 * 60_000 // shorter than a long clone
    for (const person of host.model.people) if (person.isInstallation) person.isRevoked = true
    await ask()
    await ask()
    host.model.tokenLifeMs = 3600_000
    expect(made()).toBe(3)
  })

  it('that exists already is connected by its id and key, in one place', async () => {
    const app = (await walk(await berth.as(`maker-${n}`), {})).app
    const input = { appId: app.id, privateKey: app.pem, webhookSecret: 'the-secret-of-the-app', baseUrl: host.origin, projectId }
    await expect(ada.call('git.connectGitHubApp', input)).rejects.toMatchObject({ message: expect.stringContaining('connected already') })
    const other = { ...app, id: 3_999_999, slug: 'by-hand', installations: [] }
    host.model.apps.push(other)
    for (const login of ['acme', 'umbrella']) install(host.model, other, { login, repositories: [shop.id] })
    const byHand = { ...input, appId: other.id }
    const { webhookUrl, accounts } = await ada.call('git.connectGitHubApp', byHand)
    expect(accounts.map(({ name, via, projectId: of }) => [name, via, of])).toEqual([
      ['acme', 'app', projectId],
      ['umbrella', 'app', projectId],
    ])
    expect(webhookUrl).toMatch(/^https:\/\/berth\.example\.com\/api\/webhooks\/git\?app=[\w-]{22}$/)
    expect((await ada.call('git.connectGitHubApp', byHand)).accounts.length).toBe(2) // the same once more
    const ping = { hookUrl: webhookUrl, webhookSecret: 'the-secret-of-the-app' }
    expect((await deliver({ ...other, ...ping }, '{"zen":"Keep it logically awesome."}', 'ping')).reason).toBe('The webhook works.')

    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const wrong = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await expect(ada.call('git.connectGitHubApp', { ...byHand, privateKey: wrong })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^privateKey: localhost does not accept the private key of the app/),
    })
    await expect(ada.call('git.connectGitHubApp', { ...byHand, appId: 4_000_000 })).rejects.toMatchObject({
      message: expect.stringContaining('the App ID is wrong'),
    })
    await expect(ada.call('git.connectGitHubApp', { ...byHand, privateKey: 'x'.repeat(200) })).rejects.toMatchObject({
      message: expect.stringContaining('.pem'),
    })
    const stranger = await berth.as(`stranger-${n}`)
    await expect(stranger.call('git.connectGitHubApp', byHand)).rejects.toMatchObject({ code: 'project_not_found' })
  })

  it('that was connected by hand takes no name that its host does not confirm, and no push once whoever knows its secret has left', async () => {
    const mallory = await berth.as(`mallory-${n}`)
    await ada.call('projects.members', { id: projectId, emails: [mallory.email] })
    const byHand = { ...(await walk(await berth.as(`maker-${n}`), {})).app, id: 4_100_000, slug: 'known', installations: [] }
    host.model.apps.push(byHand)
    const installation = install(host.model, byHand, { login: 'acme', repositories: [shop.id] })
    const input = { appId: byHand.id, privateKey: byHand.pem, webhookSecret: 'mallory-knows-this', baseUrl: host.origin, projectId }
    const { webhookUrl: hookUrl, accounts } = await mallory.call('git.connectGitHubApp', input)
    const source = { gitProviderId: accounts[0]?.id ?? 0, gitRepository: 'acme/shop', gitBranch: 'main' }
    const { id: appId } = await ada.call('apps.create', { projectId, name: 'web', ...source })
    const forged = push(installation, { repo: { ...shop, fullName: 'mallory/evil' } })
    const app = { ...byHand, hookUrl, webhookSecret: input.webhookSecret }
    await deliver(app, forged, 'push')
    expect(await ada.call('apps.get', { appId })).toMatchObject({
      git_repository: 'acme/shop',
      git_clone_url: `${host.origin}/acme/shop.git`,
    })
    expect((await ada.call('apps.webhook', { appId })).error).toBe('')

    await ada.call('projects.members', { id: projectId, userIds: [] })
    const later = push(installation, { commit: 'b'.repeat(40) })
    const { pathname, search } = new URL(hookUrl)
    const headers = deliveryHeaders(host.model, { secret: app.webhookSecret, body: later, event: 'push' })
    const refused = await berth.raw('POST', pathname + search, { body: later, headers })
    expect([refused.status, refused.json.code]).toEqual([401, 'webhook_not_verified'])
    expect(await ada.call('apps.webhook', { appId })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('has left the project'),
    })
    await ada.call('git.connectGitHubApp', { ...input, webhookSecret: 'a-secret-of-ada-alone' })
    expect((await deliver({ ...app, webhookSecret: 'a-secret-of-ada-alone' }, later, 'push')).result).toBe('deployed')
    expect((await ada.call('apps.webhook', { appId })).status).toBe('active')
  })

  it('is told where deliveries go when the address of this server changes', async () => {
    const { app } = await walk()
    const owner = await berth.owner()
    await owner.call('settings.update', { dashboardDomain: 'new.example.com' })
    await expect.poll(() => app.hookUrl, { timeout: 30_000 }).toContain('https://new.example.com/api/webhooks/git?app=')
    await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
    await expect.poll(() => app.hookUrl, { timeout: 30_000 }).toContain('https://berth.example.com/')
  })
})
