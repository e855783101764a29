import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HostPerson } from '../../testing/git-host/model.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

const STYLES = ['github', 'gitlab', 'gitea'] as const

describe.each(STYLES)('accounts on a host like %s', (style) => {
  const token = `${style}-MARKER-token-1234567890`
  let host: GitHostServer
  let berth: TestServer
  let ada: Person
  let robot: HostPerson
  let projectId: number

  beforeAll(async () => {
    host = await startGitHost(style)
    robot = host.addPerson('robot', token)
    await host.addRepository('acme/shop', [robot], { Dockerfile: 'FROM scratch', 'web/Dockerfile': 'FROM scratch' })
    for (let n = 0; n < 250; n += 1) await host.addRepository(`acme/other-${n}`, [robot])
    await host.addRepository('acme/hidden', [], { Dockerfile: 'FROM scratch' })
    berth = await startTestServer({
      env: { ...host.env, BERTH_LOG_LEVEL: 'trace' },
      tuning: { resolveAtAddMs: 20_000, engineWaitMs: 600_000 },
    })
    ada = await berth.as('ada')
    projectId = (await ada.call('projects.create', { name: 'Shop' })).id
  })
  afterAll(async () => {
    await berth[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    host.setHabit(undefined)
    robot.isRevoked = false
    host.requests.length = 0
  })

  const connect = async (person: Person, more: { projectId?: number; name?: string } = {}) =>
    await person.call('git.createAccount', { provider: style, token, baseUrl: `${host.origin}/`, ...more })

  it('a token is checked with the host before it is stored, and the error of the host is shown', async () => {
    await expect(ada.call('git.createAccount', { provider: style, token: 'wrong-token', baseUrl: host.origin })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/token: localhost does not accept the token.*(Bad credentials|revoked|user does not exist)/),
    })
    for (const baseUrl of ['http://localhost', 'https://user:pw@localhost', 'localhost', 'https://localhost?x=1', 'ssh://git@localhost'])
      await expect(ada.call('git.createAccount', { provider: style, token, baseUrl })).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await ada.call('git.accounts')).toEqual([])
    const account = await connect(ada)
    expect(account).toMatchObject({ provider: style, name: 'robot', baseUrl: host.origin, via: 'token', projectId: null, ownerId: ada.id })
    expect(account).toMatchObject({ status: 'ok', error: '', apps: 0 })
    const again = await connect(ada, { name: 'Robot 2' })
    expect([again.id, again.name]).toEqual([account.id, 'Robot 2']) // the same identity gets the new token
    expect((await ada.call('git.accounts')).map(({ id }) => id)).toEqual([account.id])
  })

  it('repositories come from all pages, with what the picker shows; branches too', async () => {
    const { id: installationId } = await connect(ada)
    const all = await ada.call('git.repos', { installationId })
    expect(all.length).toBe(251)
    expect(all.find(({ fullName }) => fullName === 'acme/shop')).toMatchObject({
      private: true,
      defaultBranch: 'main',
      cloneUrl: `${host.origin}/acme/shop.git`,
      updatedAt: '2026-01-02T03:04:05.000Z',
    })
    expect((await ada.call('git.repos', { installationId, search: 'OTHER-24' })).length).toBe(11)
    const branches = await ada.call('git.branches', { installationId, repoFullName: 'acme/shop' })
    expect(branches).toEqual([{ name: 'main', commit: expect.stringMatching(/^[0-9a-f]{40}$/), protected: true }])
    expect(await ada.call('git.branches', { installationId, repoFullName: 'acme/shop', search: 'x' })).toEqual([])
    await expect(ada.call('git.branches', { installationId, repoFullName: 'acme/hidden' })).rejects.toMatchObject({
      code: 'repository_not_found',
    })
  })

  it('an app gets a private repository through it, and git sends the token to that host alone', async () => {
    const { id } = await connect(ada)
    const source = { gitProviderId: id, gitRepository: 'acme/shop', gitBranch: 'main' }
    const app = await ada.call('apps.create', { projectId, name: `app of ${style}`, ...source })
    expect(app).toMatchObject({ git_provider_id: id, git_repository: 'acme/shop', git_clone_url: `${host.origin}/acme/shop.git` })
    const repo = [...host.model.repositories.values()].find(({ fullName }) => fullName === 'acme/shop')
    expect((await ada.call('deployments.add', { appId: app.id })).commit_hash).toBe(repo?.git?.hash)
    const look = { projectId, gitCloneUrl: `${host.origin}/acme/shop.git`, gitProviderId: id, rootDirectory: 'web' }
    expect((await ada.call('apps.checkSourceFiles', look)).dockerfile.state).toBe('found')
    expect((await ada.call('apps.checkSource', { ...look, gitProviderId: null })).message).toContain('asks for credentials')
    await expect(ada.call('apps.checkSource', { ...look, gitCloneUrl: 'https://example.com/a/b.git' })).rejects.toMatchObject({
      code: 'invalid_source',
    })
    robot.repositories.delete(repo?.id ?? 0)
    expect((await ada.call('apps.checkSource', look)).message).toContain('has no access to it, or the repository is gone')
    robot.repositories.add(repo?.id ?? 0)
    robot.isRevoked = true
    expect((await ada.call('apps.checkSource', look)).message).toContain('connect the account again')
    expect((await ada.call('git.checkAccount', { id })).status).toBe('error')
    robot.isRevoked = false
    expect(await ada.call('git.checkAccount', { id })).toMatchObject({ status: 'ok', error: '', apps: 1 })

    await expect(ada.call('git.deleteAccount', { id })).rejects.toMatchObject({
      code: 'account_in_use',
      message: expect.stringContaining(`app of ${style}`),
    })
    await ada.call('git.deleteAccount', { id, force: true })
    expect(await ada.call('apps.get', { appId: app.id })).toMatchObject({ git_provider_id: null, git_repository: 'acme/shop' })
    expect((await ada.call('deployments.add', { appId: app.id })).commit_hash).toBe('')
  })

  it('a deploy hook gets the branch of the app with it, and no other one', async () => {
    const { id: gitProviderId } = await connect(ada)
    const source = { projectId, gitProviderId, gitRepository: 'acme/shop' }
    const byHook = async (appId: number, branch: string) => {
      const { secret } = await ada.call('apps.rotateHook', { appId })
      host.requests.length = 0
      return await berth.raw('POST', `/api/hooks/deploy/${appId}`, { headers: { authorization: `Bearer ${secret}` }, body: { branch } })
    }
    const { id: named } = await ada.call('apps.create', { ...source, name: 'named branch', gitBranch: 'main' })
    const { id: unnamed } = await ada.call('apps.create', { ...source, name: 'default branch' })
    for (const appId of [named, unnamed]) {
      expect((await byHook(appId, 'main')).json).toMatchObject({ app_id: appId, commit_hash: expect.stringMatching(/^[0-9a-f]{40}$/) })
      const refused = await byHook(appId, 'secret')
      expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining('must be the branch that the app deploys')])
    }
    await byHook(named, 'secret')
    expect(host.requests).toEqual([]) // nobody was asked
    for (const appId of [named, unnamed]) await ada.call('apps.delete', { appId })
  })

  it('a repository that the account cannot see, or one of another host, is not taken', async () => {
    const { id: gitProviderId } = await connect(ada)
    const { id: appId } = await ada.call('apps.create', { projectId, name: `none of ${style}` })
    const refuse = async (change: { gitRepository?: string; gitCloneUrl?: string }, code: string) =>
      await expect(ada.call('apps.update', { appId, gitProviderId, ...change })).rejects.toMatchObject({ code })
    await refuse({}, 'invalid_request')
    await refuse({ gitRepository: 'acme/hidden' }, 'repository_not_found')
    await refuse({ gitCloneUrl: 'https://evil.example/acme/shop.git' }, 'invalid_source')
    await refuse({ gitCloneUrl: `https://localhost.evil.example:${host.port}/acme/shop.git` }, 'invalid_source')
    const set = await ada.call('apps.update', { appId, gitProviderId, gitCloneUrl: `${host.origin}/acme/shop.git` })
    expect(set.git_repository).toBe('acme/shop')
    await expect(ada.call('apps.update', { appId, gitCloneUrl: 'https://evil.example/a/b.git' })).rejects.toMatchObject({
      code: 'invalid_source',
    })
    const free = await ada.call('apps.update', { appId, gitProviderId: null, gitCloneUrl: 'https://example.com/a/b.git' })
    expect(free).toMatchObject({ git_provider_id: null, git_clone_url: 'https://example.com/a/b.git' })
  })

  it('what the host does wrong has its sentence', async () => {
    const { id: installationId } = await connect(ada)
    const said = async () => await ada.call('git.repos', { installationId }).catch((cause: unknown) => cause)
    const limited = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1893456000', 'ratelimit-reset': '1893456000' }
    host.setHabit({ kind: 'answer', status: 403, headers: limited, body: { message: 'API rate limit exceeded' } })
    expect(await said()).toMatchObject({ code: 'git_host_unavailable', message: expect.stringContaining('until 2030-01-01 00:00 UTC') })
    host.setHabit({ kind: 'answer', status: 403, body: { message: 'Resource not accessible by personal access token' } })
    expect(await said()).toMatchObject({ code: 'git_account_refused', message: expect.stringContaining('Resource not accessible') })
    host.setHabit({ kind: 'answer', status: 502, body: {} })
    expect(await said()).toMatchObject({ code: 'git_host_unavailable', message: expect.stringContaining('(502)') })
    host.setHabit({ kind: 'answer', status: 200, body: { hello: 'I am something else' } })
    expect(await said()).toMatchObject({ code: 'git_host_unavailable' })
    const other = await startGitHost(style)
    other.addPerson('robot', 'a-good-token')
    const { id: away } = await ada.call('git.createAccount', { provider: style, token: 'a-good-token', baseUrl: other.origin })
    other.requests.length = 0
    host.setHabit({ kind: 'redirect', to: other.origin })
    expect(await said()).toMatchObject({ code: 'git_account_refused', message: expect.stringContaining('another address') })
    expect(other.requests).toEqual([]) // the token is for no other host
    host.setHabit(undefined)
    await other[Symbol.asyncDispose]()
    expect(await ada.call('git.repos', { installationId: away }).catch((cause: unknown) => cause)).toMatchObject({
      code: 'git_host_unavailable',
      message: 'localhost does not accept connections. Check its address, or try again later.',
    })
    robot.isRevoked = true
    expect(await said()).toMatchObject({ code: 'git_account_refused', message: expect.stringContaining('connect the account again') })
    expect((await ada.call('git.accounts')).find(({ id }) => id === installationId)?.status).toBe('error')
  })

  it('the token is in no answer, log, row, audit line or workspace', async () => {
    const { id } = await connect(ada)
    const owner = await berth.owner()
    const answers = JSON.stringify([await ada.call('git.accounts'), await owner.call('audit.list', {}), await owner.call('git.accounts')])
    const file = await readFile(`${berth.dataDir}/berth.sqlite`, 'latin1')
    const wal = await readFile(`${berth.dataDir}/berth.sqlite-wal`, 'latin1').catch(() => '')
    const basic = Buffer.from(`oauth2:${token}`).toString('base64').slice(12, 40)
    for (const text of [answers, berth.log(), file, wal])
      for (const secret of [token, 'MARKER', basic]) expect(text.includes(secret)).toBe(false)
    expect(host.requests.some(({ authorization }) => authorization.includes(token))).toBe(true)
    expect(host.requests.every(({ url }) => !url.includes('MARKER'))).toBe(true)
    expect(id).toBeGreaterThan(0)
  })
})

describe('whose an account is', () => {
  const token = 'a-token-of-the-robot'
  let host: GitHostServer
  let berth: TestServer
  let n = 0

  beforeAll(async () => {
    host = await startGitHost('gitea')
    const robot = host.addPerson('robot', token)
    await host.addRepository('acme/shop', [robot], { Dockerfile: 'FROM scratch' })
    berth = await startTestServer({ env: { BERTH_CA_FILE: host.caFile }, tuning: { resolveAtAddMs: 20_000, engineWaitMs: 600_000 } })
  })
  afterAll(async () => {
    await berth[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  const connect = async (person: Person, projectId?: number) =>
    await person.call('git.createAccount', {
      provider: 'gitea',
      token,
      baseUrl: host.origin,
      ...(projectId !== undefined && { projectId }),
    })
  const newProject = async (person: Person) => (await person.call('projects.create', { name: `Project ${(n += 1)}` })).id

  it('a host on a private address is for admins, unless it is named in BERTH_PRIVATE_SOURCES', async () => {
    const user = await berth.as('plain')
    await expect(connect(user)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('private address') })
    const admin = await berth.as('passing-admin', 'admin')
    const { id } = await connect(admin)
    expect((await admin.call('git.repos', { installationId: id })).length).toBe(1)
    await (await berth.owner()).call('users.update', { id: admin.id, role: 'user' })
    const later = await berth.logIn(admin.email, 'a-good-password')
    await expect(later.call('git.repos', { installationId: id })).rejects.toMatchObject({
      message: expect.stringContaining('private address'),
    })
  })

  it('one of a person is theirs alone, and admins see that it is there', async () => {
    const [admin, other, owner] = [await berth.as('admin-1', 'admin'), await berth.as('other'), await berth.owner()]
    const { id } = await connect(admin)
    const project = await newProject(other)
    for (const person of [other]) {
      await expect(person.call('git.repos', { installationId: id })).rejects.toMatchObject({ code: 'git_not_connected' })
      await expect(person.call('git.checkAccount', { id })).rejects.toMatchObject({ code: 'git_not_connected' })
      await expect(person.call('git.deleteAccount', { id, force: true })).rejects.toMatchObject({ code: 'git_not_connected' })
      const stolen = { projectId: project, name: 'x', gitProviderId: id, gitRepository: 'acme/shop' }
      await expect(person.call('apps.create', stolen)).rejects.toMatchObject({ code: 'git_not_connected' })
    }
    await expect(owner.call('git.repos', { installationId: id })).rejects.toMatchObject({ code: 'not_allowed' })
    expect((await owner.call('git.accounts')).some((account) => account.id === id)).toBe(true)
    expect(await other.call('git.accounts')).toEqual([])
  })

  it('one of a project is for its members and its apps, and goes with it', async () => {
    const [admin, member, outsider] = [await berth.as('admin-2', 'admin'), await berth.as('member-2'), await berth.as('outsider-2')]
    const projectId = await newProject(admin)
    await admin.call('projects.members', { id: projectId, emails: [member.email] })
    await expect(connect(outsider, projectId)).rejects.toMatchObject({ code: 'project_not_found' })
    const { id } = await connect(admin, projectId)
    expect((await member.call('git.repos', { installationId: id })).length).toBe(1)
    const source = { gitProviderId: id, gitRepository: 'acme/shop' }
    const app = await member.call('apps.create', { projectId, name: 'app', ...source })
    expect((await member.call('deployments.add', { appId: app.id })).commit_hash).not.toBe('') // though the host is private: an admin connected it
    await expect(member.call('git.deleteAccount', { id, force: true })).rejects.toMatchObject({ code: 'not_allowed' })
    const elsewhere = await newProject(member)
    await expect(member.call('apps.create', { projectId: elsewhere, name: 'app', ...source })).rejects.toMatchObject({
      code: 'git_not_connected',
    })
    await admin.call('projects.members', { id: projectId, userIds: [] })
    await expect(member.call('git.repos', { installationId: id })).rejects.toMatchObject({ code: 'git_not_connected' })
    await admin.call('projects.delete', { id: projectId })
    expect((await admin.call('git.accounts')).some((account) => account.id === id)).toBe(false)
  })

  it('an app that is handed on keeps the account of who chose it, and nobody else can point it elsewhere', async () => {
    const [admin, heir] = [await berth.as('admin-3', 'admin'), await berth.as('heir')]
    const projectId = await newProject(admin)
    const { id } = await connect(admin)
    const { id: appId } = await admin.call('apps.create', { projectId, name: 'app', gitProviderId: id, gitRepository: 'acme/shop' })
    await admin.call('projects.members', { id: projectId, emails: [heir.email] })
    await admin.call('apps.transfer', { appId, userId: heir.id })
    expect((await heir.call('deployments.add', { appId })).commit_hash).not.toBe('')
    for (const change of [
      { gitBranch: 'secret' },
      { submodules: true },
      { lfs: true },
      { gitRepository: 'acme/other' },
      { gitCloneUrl: `${host.origin}/acme/other.git` },
    ])
      await expect(heir.call('apps.update', { appId, ...change })).rejects.toMatchObject({ code: 'git_not_connected' })
    await heir.call('apps.update', { appId, description: 'mine' })
    await (await berth.owner()).call('users.delete', { id: admin.id })
    expect(await heir.call('apps.get', { appId })).toMatchObject({ git_provider_id: null })
    expect((await heir.call('deployments.add', { appId })).commit_hash).toBe('')
  })
})
