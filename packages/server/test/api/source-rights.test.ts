import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type GitServer, startGitServer } from '../../testing/harness/git-server.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

let berth: TestServer
let git: GitServer
let owner: Person
let repository: Awaited<ReturnType<GitServer['createRepository']>>
let n = 0

beforeAll(async () => {
  git = await startGitServer()
  berth = await startTestServer({ tuning: { resolveAtAddMs: 20_000 } })
  owner = await berth.owner()
  repository = await git.createRepository({ files: { Dockerfile: 'FROM scratch' } })
  await repository.commit({ files: { 'b.txt': 'b' }, branch: 'next' })
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await git[Symbol.asyncDispose]()
})
beforeEach(() => {
  git.requests.length = 0
})

async function newPerson(role: 'user' | 'admin' = 'user'): Promise<Person> {
  n += 1
  return await berth.as(`person-${n}`, role)
}
/** An app whose clone URL points to the git server on loopback. */
async function newApp(person: Person): Promise<number> {
  const project = await person.call('projects.create', { name: `Project ${n}` })
  const app = await person.call('apps.create', { projectId: project.id, name: 'app', gitCloneUrl: repository.url, gitBranch: 'main' })
  return app.id
}
/** Whether the repository is read when the app is deployed. */
async function isRead(appId: number): Promise<boolean> {
  git.requests.length = 0
  const { commit_hash } = await owner.call('deployments.add', { appId })
  expect(git.requests.length > 0).toBe(commit_hash !== '')
  return commit_hash !== ''
}

it('a private source that a user set stays closed when the app is handed to an owner', async () => {
  const user = await newPerson()
  const appId = await newApp(user)
  expect(await isRead(appId)).toBe(false)
  const handed = await user.call('apps.transfer', { appId, userId: owner.id })
  expect(await isRead(appId)).toBe(false)
  expect([handed.created_by, handed.source_set_by]).toEqual([owner.id, user.id])
})

it('an owner who changes the branch or the root directory does not vouch for the clone URL, and one who sets it again does', async () => {
  const user = await newPerson()
  const appId = await newApp(user)
  await user.call('apps.transfer', { appId, userId: owner.id })
  await owner.call('apps.update', {
    appId,
    gitBranch: 'next',
    gitRepository: 'owner/repository',
    rootDirectory: 'web',
    gitProviderId: null,
  })
  expect(await isRead(appId)).toBe(false)
  const set = await owner.call('apps.update', { appId, gitCloneUrl: repository.url })
  expect(set.source_set_by).toBe(owner.id)
  expect(await isRead(appId)).toBe(true)
  const [entry] = await owner.call('audit.list', { action: 'app.update', limit: 1 })
  expect(entry).toMatchObject({ actorId: owner.id, before: { source_set_by: user.id }, after: { source_set_by: owner.id } })
})

it('a private source that a user set stays closed when the user is deleted and the app passes to an admin', async () => {
  const user = await newPerson()
  const admin = await newPerson('admin')
  const appId = await newApp(user)
  await admin.call('users.delete', { id: user.id })
  expect(await isRead(appId)).toBe(false)
  const app = await admin.call('apps.get', { appId })
  expect([app.created_by, app.source_set_by]).toEqual([admin.id, null])
})

it('a private source that an admin set closes when the admin becomes a user, whoever owns the app', async () => {
  const admin = await newPerson('admin')
  const appId = await newApp(admin)
  await admin.call('apps.transfer', { appId, userId: owner.id })
  expect(await isRead(appId)).toBe(true)
  await owner.call('users.update', { id: admin.id, role: 'user' })
  expect(await isRead(appId)).toBe(false)
})

it('a private source that an admin set for a user stays open, until the user changes what is cloned', async () => {
  const admin = await newPerson('admin')
  const user = await newPerson()
  const appId = await newApp(admin)
  await admin.call('apps.transfer', { appId, userId: user.id })
  await user.call('apps.update', { appId, gitBranch: 'main', description: 'mine', rootDirectory: 'web' })
  expect(await isRead(appId)).toBe(true)
  expect((await user.call('apps.update', { appId, gitBranch: 'next' })).source_set_by).toBe(user.id)
  expect(await isRead(appId)).toBe(false)
  await user.call('apps.update', { appId, gitBranch: 'main', gitCloneUrl: repository.url })
  expect(await isRead(appId)).toBe(false)
})
