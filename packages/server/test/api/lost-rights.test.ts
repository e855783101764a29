import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { browse } from '../../testing/git-host/browse.ts'
import { back } from '../../testing/git-host/connect-github-app.ts'
import { install } from '../../testing/git-host/github-apps-api.ts'
import { type GitHostServer, startGitHost } from '../../testing/git-host/start-git-host.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

const TOKEN = 'token-of-the-robot-1234567890'

let host: GitHostServer
let berth: TestServer
let owner: Person
let member: Person
let projectId: number
let n = 0

beforeAll(async () => {
  host = await startGitHost('github')
  const robot = host.addPerson('robot', TOKEN)
  await host.addRepository('acme/shop', [robot], { Dockerfile: 'FROM scratch' })
  await host.addRepository('acme/other', [robot], { Dockerfile: 'FROM scratch' })
  berth = await startTestServer({ env: host.env, tuning: { resolveAtAddMs: 20_000, engineWaitMs: 600_000 } })
  owner = await berth.owner()
  await owner.call('settings.update', { dashboardDomain: 'berth.example.com' })
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})
beforeEach(async () => {
  n += 1
  member = await berth.as(`member-${n}`)
  projectId = (await owner.call('projects.create', { name: `Shop ${n}` })).id
  await join()
})

const join = async () => await owner.call('projects.members', { id: projectId, emails: [member.email] })
const leave = async () => await owner.call('projects.members', { id: projectId, userIds: [] })

/** Makes the host wait with its answer until `meanwhile` is done. */
async function whileHostWaits<Result>(act: () => Promise<Result>, meanwhile: () => Promise<unknown>): Promise<Result> {
  const asked = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  host.setHabit({ kind: 'wait', until: over.promise, onAsked: asked.resolve })
  const result = act()
  try {
    await Promise.race([asked.promise, result])
    await meanwhile()
  } finally {
    host.setHabit(undefined)
    over.resolve()
  }
  return await result
}

const account = async (person: Person, more: { projectId?: number } = {}) =>
  await person.call('git.createAccount', { provider: 'github', token: TOKEN, baseUrl: host.origin, ...more })
const source = (gitProviderId: number, gitRepository = 'acme/shop') => ({ gitProviderId, gitRepository, gitBranch: 'main' })
const newApp = async (person: Person, gitProviderId: number) =>
  await person.call('apps.create', { projectId, name: 'app', ...source(gitProviderId) })

it('an app is not created by somebody who left the project while the git host was asked', async () => {
  const { id } = await account(owner, { projectId })
  await expect(whileHostWaits(async () => await newApp(member, id), leave)).rejects.toMatchObject({ code: 'project_not_found' })
  expect(await owner.call('apps.list', { projectId })).toEqual([])
})

it('an app is not connected to an account that was deleted while its host was asked', async () => {
  const { id } = await account(member)
  const remove = async () => await member.call('git.deleteAccount', { id })
  await expect(whileHostWaits(async () => await newApp(member, id), remove)).rejects.toMatchObject({ code: 'git_not_connected' })
  expect(await owner.call('apps.list', { projectId })).toEqual([])
})

it('an app is not changed by somebody who handed it over while the git host was asked', async () => {
  const { id } = await account(member)
  const app = await newApp(member, id)
  const change = async () => await member.call('apps.update', { appId: app.id, ...source(id, 'acme/other') })
  const handOver = async () => await member.call('apps.transfer', { appId: app.id, userId: owner.id })
  await expect(whileHostWaits(change, handOver)).rejects.toMatchObject({ code: 'not_app_owner' })
  expect((await owner.call('apps.get', { appId: app.id })).git_repository).toBe('acme/shop')
})

it('of two changes of a source at the same time, the one that waited for the git host is refused', async () => {
  const { id } = await account(member)
  const app = await newApp(member, id)
  const change = async () => await member.call('apps.update', { appId: app.id, gitRepository: 'acme/other' })
  const other = async () => await member.call('apps.update', { appId: app.id, gitProviderId: null, gitCloneUrl: 'https://localhost/x.git' })
  await expect(whileHostWaits(change, other)).rejects.toMatchObject({
    code: 'invalid_source',
    message: expect.stringContaining('changed at the same time'),
  })
  expect(await member.call('apps.get', { appId: app.id })).toMatchObject({
    git_provider_id: null,
    git_clone_url: 'https://localhost/x.git',
  })
})

it('other settings that were changed while the git host was asked stay', async () => {
  const { id } = await account(member)
  const app = await newApp(member, id)
  const change = async () => await member.call('apps.update', { appId: app.id, gitRepository: 'acme/other' })
  const other = async () => await member.call('apps.update', { appId: app.id, port: 8123 })
  expect(await whileHostWaits(change, other)).toMatchObject({ git_repository: 'acme/other', port: 8123 })
})

it('an app is not deployed by somebody who left the project while its newest commit was looked up', async () => {
  const { id } = await account(owner, { projectId })
  const app = await newApp(owner, id)
  const deploy = async () => await member.call('deployments.add', { appId: app.id })
  await expect(whileHostWaits(deploy, leave)).rejects.toMatchObject({ code: 'app_not_found' })
  expect(await owner.call('deployments.list', { appId: app.id })).toEqual([])
})

it('an account of a project is not connected by somebody who left it while the host was asked', async () => {
  await expect(whileHostWaits(async () => await account(member, { projectId }), leave)).rejects.toMatchObject({ code: 'project_not_found' })
  expect((await owner.call('git.accounts')).filter((each) => each.projectId === projectId)).toEqual([])
})

it('an account is not connected in a session that ended while the host was asked', async () => {
  const logOut = async () => await member.call('auth.logout')
  await expect(whileHostWaits(async () => await account(member), logOut)).rejects.toMatchObject({ code: 'not_signed_in' })
})

it('a GitHub App of a project is not connected by somebody who left it while the host was asked', async () => {
  const { action, manifest } = await member.call('git.githubManifest', { baseUrl: host.origin, projectId })
  const created = await browse(host, action, { manifest })
  expect(await whileHostWaits(async () => await back(berth, member, created), leave)).toContain('github=wrong_state')

  await join()
  const app = host.model.apps.at(-1)
  if (!app) throw new Error('the host made no app')
  install(host.model, app, { login: 'acme', repositories: [] })
  const connect = async () =>
    await member.call('git.connectGitHubApp', {
      projectId,
      baseUrl: host.origin,
      appId: app.id,
      privateKey: app.pem,
      webhookSecret: 'the-secret-of-the-app',
    })
  await expect(whileHostWaits(connect, leave)).rejects.toMatchObject({ code: 'project_not_found' })
  expect((await owner.call('git.accounts')).filter((each) => each.projectId === projectId)).toEqual([])
})
