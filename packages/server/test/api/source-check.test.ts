import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitServer, startGitServer } from '../../testing/harness/git-server.ts'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

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

it('an unreachable source is a valid result, and so is one that the caller may not use', async () => {
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

it('a source shows whether its Dockerfile is there, and those that are elsewhere', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Files' })
  const repository = await git.createRepository({ files: { 'web/Dockerfile': 'FROM x', 'web/compose.yaml': '', linked: { link: 'web' } } })
  await repository.commit({ files: { Dockerfile: 'FROM x' }, branch: 'next' })
  const look = async (place: { gitBranch?: string; rootDirectory?: string; dockerfilePath?: string | null } = {}) =>
    await owner.call('apps.checkSourceFiles', { projectId, gitCloneUrl: repository.url, ...place })
  expect(await look()).toEqual({
    dockerfile: { state: 'missing', path: 'Dockerfile', others: ['web/Dockerfile'], reason: '' },
    composeFile: { state: 'missing', path: 'compose.yaml', others: ['web/compose.yaml'], reason: '' },
  })
  const found = await look({ rootDirectory: 'web', dockerfilePath: null })
  expect([found.dockerfile.state, found.composeFile.state]).toEqual(['found', 'found'])
  expect((await look({ gitBranch: 'next' })).dockerfile.state).toBe('found')
  expect((await look({ rootDirectory: 'linked' })).dockerfile.state).toBe('unknown')
  for (const wrong of [{ rootDirectory: '../x' }, { dockerfilePath: '/etc/passwd' }])
    await expect(look(wrong)).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(look({ gitBranch: '--upload-pack=x' })).rejects.toMatchObject({ code: 'invalid_source' })
  const app = await owner.call('apps.create', { projectId, name: 'web', rootDirectory: 'web', dockerfilePath: '' })
  expect(app).toMatchObject({ root_directory: 'web', dockerfile_path: null })
})

it('the files of an unreachable source are unknown, and a source that the caller may not use is not contacted', async () => {
  const owner = await berth.owner()
  const person = await berth.as('person')
  const { id: projectId } = await person.call('projects.create', { name: 'Files' })
  const repository = await git.createRepository({ files: { Dockerfile: 'FROM x' } })
  const gone = await owner.call('apps.checkSourceFiles', { projectId, gitCloneUrl: repository.url, gitBranch: 'gone' })
  expect(gone.dockerfile).toEqual({ state: 'unknown', path: 'Dockerfile', others: [], reason: 'There is no commit on that branch.' })
  git.requests.length = 0
  const inside = await person.call('apps.checkSourceFiles', { projectId, gitCloneUrl: repository.url })
  expect([inside.dockerfile.state, inside.composeFile.state, git.requests]).toEqual(['unknown', 'unknown', []])
  expect(inside.dockerfile.reason).toContain('private address')
  await expect(person.call('apps.checkSourceFiles', { projectId, gitCloneUrl: 'file:///etc' })).rejects.toMatchObject({
    code: 'invalid_source',
  })
})

it('a look that takes too long is given up, two of a person run at once, and only so many wait', async () => {
  const owner = await berth.owner()
  const admin = await berth.as('admin', 'admin')
  const { id: projectId } = await owner.call('projects.create', { name: 'Slow' })
  const { url: gitCloneUrl } = await git.createRepository({ files: { Dockerfile: 'FROM x' } })
  const look = async () => (await owner.call('apps.checkSourceFiles', { projectId, gitCloneUrl })).dockerfile
  git.setMode({ kind: 'stall' })
  git.requests.length = 0
  const stalled = [look(), look()]
  await expect.poll(() => git.requests.length, { timeout: 9_000 }).toBe(2)
  const waiting = [look(), look(), look(), look()]
  await expect.poll(async () => (await look()).reason, { timeout: 9_000 }).toBe('The server is busy checking other sources.')
  await expect(owner.call('apps.checkSource', { projectId, gitCloneUrl })).rejects.toMatchObject({ code: 'too_many_source_checks' })
  expect(git.requests.length).toBe(2)
  git.setMode({ kind: 'normal' })
  expect((await admin.call('apps.checkSource', { projectId, gitCloneUrl })).reachable).toBe(true)
  expect(new Set((await Promise.all(stalled)).map(({ reason }) => reason))).toEqual(new Set(['The check took more than 10 seconds.']))
  expect((await Promise.all(waiting)).map(({ state }) => state)).toEqual(['found', 'found', 'found', 'found'])
}, 60_000)

it('a deployment records the newest commit when it is added, and the lists show it alike', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Commits' })
  const repository = await git.createRepository({ files: { Dockerfile: 'FROM scratch' } })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'app', gitCloneUrl: repository.url })
  const added = await owner.call('deployments.add', { appId })
  const [listed] = await owner.call('deployments.listByApp', { appId })
  expect(listed?.id).toBe(added.id)
  expect((await owner.call('deployments.list', { appId })).map(({ id }) => id)).toEqual([added.id])
  expect(['', repository.hash]).toContain(added.commit_hash) // the worker asks a remote that is slow
})

it('a build is planned before a deployment: of a repository with the settings of a new app, and of an app', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Builds' })
  const files = {
    'web/package.json': JSON.stringify({ name: 'web', engines: { node: '22' }, scripts: { start: 'node server.js' } }),
    'web/server.js': '',
    'empty/README.md': '',
    'own/Dockerfile': 'FROM node:22 AS base\nFROM base\nEXPOSE 8080\nCMD ["node", "server.js"]\n',
    'own/Procfile': 'worker: node worker.js\nrelease: node migrate.js\n',
  }
  const repository = await git.createRepository({ files })
  const source = { projectId, gitCloneUrl: repository.url, rootDirectory: 'web', port: 3000 }
  const { plan, problem } = await owner.call('builds.planNew', source)
  expect(problem).toBe('')
  expect(plan).toMatchObject({ kind: 'node', port: 3000, versions: expect.arrayContaining([expect.objectContaining({ version: '22' })]) })
  expect(plan?.dockerfile).toContain('FROM node:22')
  const changed = await owner.call('builds.planNew', { ...source, startCommand: 'node other.js' })
  expect(changed.plan?.commands).toContainEqual({ name: 'start', command: 'node other.js', from: 'the settings' })
  expect(await owner.call('builds.planNew', { ...source, rootDirectory: 'empty' })).toMatchObject({
    plan: null,
    problem: expect.stringContaining('There is no Dockerfile'),
  })
  const written = await owner.call('builds.planNew', { ...source, rootDirectory: 'own' })
  const [file, procfile] = ['own/Dockerfile', 'own/Procfile']
  expect(written.plan).toMatchObject({
    kind: 'dockerfile',
    port: 3000,
    versions: [{ name: 'Base image', version: 'node:22', from: file }],
    commands: [
      { name: 'start', command: 'node server.js', from: file },
      { name: 'release', command: 'node migrate.js', from: procfile },
    ],
    processes: [{ name: 'worker', command: 'node worker.js', replicas: 0, from: procfile }],
    notes: ["The Dockerfile exposes port 8080, but the app's port is 3000. Set the port your app listens on."],
  })
  expect((await owner.call('builds.planNew', { ...source, rootDirectory: 'own', port: 8080 })).plan?.notes).toEqual([])

  const { id: appId } = await owner.call('apps.create', {
    ...source,
    name: 'web',
    buildArgs: { API: 'x' },
    releaseCommand: 'node migrate.js',
  })
  const ofApp = await owner.call('builds.plan', { appId })
  expect(ofApp.plan?.dockerfile).toContain('ARG API')
  expect(ofApp.plan?.commands).toContainEqual({ name: 'release', command: 'node migrate.js', from: 'the settings' })
  const { id: imageId } = await owner.call('apps.create', { projectId, name: 'ready', image: 'nginx:1' })
  await expect(owner.call('builds.plan', { appId: imageId })).rejects.toMatchObject({ code: 'invalid_request' })

  const person = await berth.as('builder')
  const { id: own } = await person.call('projects.create', { name: 'Builds' })
  git.requests.length = 0
  await expect(person.call('builds.planNew', { ...source, projectId: own })).rejects.toMatchObject({ code: 'invalid_source' })
  expect(git.requests).toEqual([])
})

it('a compose file is planned before a deployment: of a repository, of an app, and of a text', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Plans' })
  const compose = `services:
  web: { build: ., expose: [3000], environment: { KEY: '\${KEY:?the key of the shop}' }, volumes: ['./conf:/conf:ro'] }
  db: { image: 'postgres:\${TAG:-17}', restart: always, logging: {}, scale: 2 }`
  const repository = await git.createRepository({ files: { 'app/compose.yaml': compose, 'app/conf/a': 'a', Dockerfile: 'FROM x' } })
  const source = { projectId, gitCloneUrl: repository.url, rootDirectory: 'app', port: 3000 }
  const plan = await owner.call('stacks.planNew', { ...source, envVars: { KEY: 'k' } })
  expect(plan).toMatchObject({ file: 'compose.yaml', isAccepted: true, refused: [] })
  const plain = { replicas: 1, dependsOn: [], volumes: [], publishes: [] }
  expect(plan.services).toEqual([
    { ...plain, name: 'web', image: '', isBuilt: true, isRouted: true, volumes: [{ path: '/conf', readOnly: true }] },
    { ...plain, name: 'db', image: 'docker.io/library/postgres:17', isBuilt: false, isRouted: false, replicas: 2 },
  ])
  expect(plan.notes.join()).toContain('services.db.logging is ignored')
  expect(plan.variables).toEqual([
    { name: 'KEY', default: null, isRequired: true, isSet: true, message: 'the key of the shop' },
    { name: 'TAG', default: '17', isRequired: false, isSet: false, message: '' },
  ])

  const { id: appId } = await owner.call('apps.create', { name: 'shop', appType: 'compose', ...source })
  const ofApp = await owner.call('stacks.plan', { appId })
  expect(ofApp).toMatchObject({ isAccepted: false, refused: [{ key: '${KEY}', reason: expect.stringContaining('the key of the shop') }] })
  const text = await owner.call('stacks.plan', { appId, composeFile: 'services: { a: { image: x, pid: host }, b: { ports: [80] } }' })
  expect(text.refused.map(({ key }) => key)).toEqual(expect.arrayContaining(['services.a.pid', 'services.b']))

  expect((await owner.call('stacks.planNew', { ...source, rootDirectory: '' })).refused[0]?.reason).toContain('has no compose file')
  await expect(owner.call('stacks.planNew', { projectId })).rejects.toMatchObject({ code: 'invalid_request' })
  const elsewhere = { ...source, gitCloneUrl: `${git.origin}/missing.git` }
  await expect(owner.call('stacks.planNew', elsewhere)).rejects.toMatchObject({ code: 'invalid_source' })
  const person = await berth.as('planner')
  const { id: own } = await person.call('projects.create', { name: 'Plans' })
  git.requests.length = 0
  await expect(person.call('stacks.planNew', { ...source, projectId: own })).rejects.toMatchObject({ code: 'invalid_source' })
  expect(git.requests).toEqual([])
})

it('a compose file without a repository is checked when it is saved, and planned as what the app is deployed from', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Pasted' })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'pasted', appType: 'compose', port: 80 })
  expect(await owner.call('stacks.file', { appId })).toEqual({ composeFile: '' })
  const wrong = 'services: { a: { image: x, pid: host }, b: { build: . } }'
  await expect(owner.call('stacks.setFile', { appId, composeFile: wrong })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/services\.a\.pid is not allowed.*services\.b\.build needs a repository/),
  })
  expect(await owner.call('stacks.file', { appId })).toEqual({ composeFile: '' })
  const composeFile = 'services: { web: { image: nginx, environment: { KEY: "${KEY:?}" } } }'
  expect((await owner.call('stacks.setFile', { appId, composeFile })).variables).toMatchObject([
    { name: 'KEY', isRequired: true, isSet: false },
  ])
  expect(await owner.call('stacks.file', { appId })).toEqual({ composeFile })
  expect(await owner.call('stacks.plan', { appId })).toMatchObject({ file: '', isAccepted: false, services: [{ name: 'web' }] })
  await owner.call('envs.create', { appId, key: 'KEY', value: 'k' })
  expect((await owner.call('stacks.plan', { appId })).isAccepted).toBe(true)
  const two = 'services: { web: { image: nginx }, api: { image: nginx } }'
  const planned = async () => await owner.call('stacks.plan', { appId, composeFile: two, port: 8000 })
  expect((await planned()).refused).toMatchObject([{ reason: expect.stringContaining('to that service') }])
  for (const { id } of await owner.call('domains.list', { appId })) await owner.call('domains.delete', { id }) // the generated one
  await owner.call('domains.create', { appId, domain: 'api-of-pasted.example.com', service: 'api', port: 8000 })
  expect(await planned()).toMatchObject({
    isAccepted: true,
    services: [
      { name: 'web', isRouted: false },
      { name: 'api', isRouted: true },
    ],
  })
  await owner.call('domains.create', { appId, domain: 'pasted.example.com' })
  expect((await planned()).refused).toMatchObject([
    { reason: expect.stringContaining('delete the domains of the app that have no service') },
  ])
  await owner.call('stacks.setFile', { appId, composeFile: '' })
  await expect(owner.call('stacks.plan', { appId })).rejects.toMatchObject({ code: 'invalid_source' })
  const { id: other } = await owner.call('apps.create', {
    projectId,
    name: 'git',
    appType: 'compose',
    gitCloneUrl: 'https://example.com/a/b.git',
  })
  await expect(owner.call('stacks.setFile', { appId: other, composeFile })).rejects.toMatchObject({ code: 'invalid_request' })
})
