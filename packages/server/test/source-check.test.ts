import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitServer, startGitServer } from '../src/testing/git-server.ts'
import { startTestServer, type TestServer } from '../src/testing/start-test-server.ts'

let berth: TestServer
let git: GitServer
beforeAll(async () => {
  git = await startGitServer()
  berth = await startTestServer()
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await git[Symbol.asyncDispose]()
})

it('a source that answers shows its branches, and says when one is missing', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Sources' })
  const repository = await git.createRepository({ files: { 'a.txt': 'a' }, branch: 'trunk' })
  await repository.commit({ files: { 'b.txt': 'b' }, branch: 'next' })
  const check = async (gitBranch?: string) =>
    await owner.call('apps.checkSource', { projectId, gitCloneUrl: repository.url, ...(gitBranch && { gitBranch }) })
  expect(await check()).toEqual({ reachable: true, message: '2 branches', defaultBranch: 'trunk', branches: ['next', 'trunk'] })
  expect((await check('next')).message).toBe('2 branches')
  expect((await check('nowhere')).message).toBe('There is no branch "nowhere".')
})

it('a source that does not answer is an answer too, and so is one that the caller may not use', async () => {
  const owner = await berth.owner()
  const person = await berth.as('person')
  const { id: projectId } = await person.call('projects.create', { name: 'Sources' })
  const repository = await git.createRepository({ files: { 'a.txt': 'a' } })
  const missing = await owner.call('apps.checkSource', { projectId, gitCloneUrl: `${git.origin}/missing.git` })
  expect([missing.reachable, missing.branches]).toEqual([false, []])
  git.requests.length = 0
  const inside = await person.call('apps.checkSource', { projectId, gitCloneUrl: repository.url })
  expect([inside.reachable, git.requests]).toEqual([false, []])
  await expect(person.call('apps.checkSource', { projectId, gitCloneUrl: 'file:///etc' })).rejects.toMatchObject({ code: 'invalid_source' })
})

it('a deployment records the newest commit when it is added, and the lists show it alike', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Commits' })
  const repository = await git.createRepository({ files: { Dockerfile: 'FROM scratch' } })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'app', gitCloneUrl: repository.url })
  const added = await owner.call('deployments.add', { appId })
  const [listed] = await owner.call('deployments.listByApp', { appId })
  expect(listed?.id).toBe(added.id)
  expect((await owner.call('deployments.list', { appId })).map(({ id }) => id)).toEqual([added.id])
  expect(['', repository.hash]).toContain(added.commit_hash) // a remote that is slow at this moment is asked by the worker
})
