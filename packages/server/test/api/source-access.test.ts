import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitServer, startGitServer } from '../../testing/harness/git-server.ts'
import { type SshServer, startSshServer } from '../../testing/harness/ssh-server.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { dumpDatabase, insertDeployment } from '../../testing/harness/test-world.ts'
import { writeRows } from '../../testing/harness/write-rows.ts'

let git: GitServer
let repo: Awaited<ReturnType<GitServer['createRepository']>>
let sshd: SshServer
let berth: TestServer
let owner: Person
let projectId: number
let n = 0

beforeAll(async () => {
  git = await startGitServer()
  sshd = await startSshServer()
  repo = await git.createRepository({ files: { Dockerfile: 'FROM scratch' } })
  // without an engine the first deployment of an app runs forever, and the others wait behind it
  berth = await startTestServer({ tuning: { engineWaitMs: 600_000, resolveAtAddMs: 20_000, sourcePollMs: 500 } })
  owner = await berth.owner()
  projectId = (await owner.call('projects.create', { name: 'Shop' })).id
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await git[Symbol.asyncDispose]()
  await sshd[Symbol.asyncDispose]()
})

const newApp = async () => {
  const source = { gitCloneUrl: repo.url, gitBranch: 'main' }
  return (await owner.call('apps.create', { projectId, name: `app ${(n += 1)}`, ...source })).id
}
const call = async (appId: number | string, secret: string, body?: Record<string, unknown> | string) =>
  await berth.raw('POST', `/api/hooks/deploy/${appId}`, {
    headers: secret === '' ? {} : { authorization: `Bearer ${secret}` },
    ...(body !== undefined && { body }),
  })
const deploymentsOf = async (appId: number) => await owner.call('deployments.list', { appId })

it('a program deploys with nothing but the secret: the newest commit, that of a branch, or a given one', async () => {
  const appId = await newApp()
  expect((await owner.call('apps.get', { appId })).deploy_hook).toBe(false)
  const { url, secret } = await owner.call('apps.rotateHook', { appId })
  expect(url).toMatch(new RegExp(`/api/hooks/deploy/${appId}$`))
  expect((await owner.call('apps.get', { appId })).deploy_hook).toBe(true)
  const plain = await call(appId, secret)
  expect([plain.status, Object.keys(plain.json).length]).toEqual([200, 8])
  expect(plain.json).toMatchObject({ app_id: appId, commit_hash: repo.hash, status: 'pending' })
  const onNext = await repo.commit({ files: { 'a.txt': 'a' }, branch: 'next' })
  expect((await call(appId, secret, { branch: 'next' })).json).toMatchObject({ commit_hash: onNext })
  expect((await call(appId, secret, { commit: onNext, branch: 'next' })).json).toMatchObject({ commit_hash: onNext })
  expect((await call(appId, secret, { commit: repo.hash })).json).toMatchObject({ commit_hash: repo.hash })
  const [newest] = await deploymentsOf(appId)
  expect(newest).toMatchObject({ trigger: 'hook', triggered_by: null, commit_hash: repo.hash })
  const { entries } = { entries: await owner.call('audit.list', { limit: 5 }) }
  expect(JSON.stringify(entries)).toContain('deploy hook')
  for (const [field, value] of [
    ['branch', 'no such one'],
    ['branch', 'missing'],
    ['commit', 'abc'],
  ] as const) {
    const refused = await call(appId, secret, { [field]: value })
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining(field)])
  }
})

it('ten calls make one more build, and what a person asked for stays', async () => {
  const appId = await newApp()
  const { secret } = await owner.call('apps.rotateHook', { appId })
  await owner.call('deployments.add', { appId })
  await expect.poll(async () => (await deploymentsOf(appId))[0]?.status).not.toBe('pending')
  const { id: asked } = await owner.call('deployments.add', { appId })
  for (let i = 0; i < 10; i += 1) expect((await call(appId, secret)).status).toBe(200)
  const list = await deploymentsOf(appId)
  const waiting = list.filter(({ status }) => status === 'pending').map(({ trigger }) => trigger)
  expect(waiting).toEqual(['hook', 'manual'])
  expect(list.find(({ id }) => id === asked)?.status).toBe('pending')
  expect(list.filter(({ error_message }) => /^Replaced by #\d+\.$/.test(error_message)).length).toBe(9)
})

it('without a git account a hook takes no commit but the newest of the branch and what was live before', async () => {
  const appId = await newApp()
  const { secret } = await owner.call('apps.rotateHook', { appId })
  const ofFork = 'ab'.repeat(20) // hosts serve those of forks under the URL of the repository
  const before = (await deploymentsOf(appId)).length
  const refused = await call(appId, secret, { commit: ofFork })
  expect([refused.status, refused.json.code, refused.json.error]).toEqual([
    400,
    'invalid_source',
    'commit: must be the newest commit of main, or one that was live before; which others are on it can only be told with a git account',
  ])
  const unknown = await call(appId, secret, { commit: ofFork, branch: 'missing' })
  expect([unknown.status, unknown.json.error]).toEqual([400, expect.stringContaining('cannot be compared with the branch')])
  expect((await deploymentsOf(appId)).length).toBe(before)
  await insertDeployment(berth, { appId, number: 1001, status: 'failed', isActive: false, image: '' })
  await writeRows(
    berth,
    async (tx) => void (await tx.updateTable('deployment').set({ commit_hash: ofFork }).where('app_id', '=', appId).execute()),
  )
  expect((await call(appId, secret, { commit: ofFork })).status).toBe(400)
  await writeRows(
    berth,
    async (tx) => void (await tx.updateTable('deployment').set({ status: 'success' }).where('app_id', '=', appId).execute()),
  )
  expect((await call(appId, secret, { commit: ofFork })).json).toMatchObject({ commit_hash: ofFork })
})

it('a wrong secret, no hook and no app are answered alike, whatever is sent, and leave nothing behind', async () => {
  const [appId, without] = [await newApp(), await newApp()]
  const { secret: old } = await owner.call('apps.rotateHook', { appId })
  const { secret } = await owner.call('apps.rotateHook', { appId })
  const dumped = async () => ({ ...(await dumpDatabase(berth)), source_poll: [] }) // polls go on meanwhile
  const before = await dumped()
  const answers = [
    await call(appId, old),
    await call(appId, ''),
    await call(appId, `${secret}x`),
    await call(appId, secret.slice(0, -1)),
    await call(appId, old, 'x'.repeat(100_000)),
    await call(appId, old, { commit: 'wrong' }),
    await call(without, secret),
    await call(987_654_321, secret),
    await call('x', secret),
    await berth.raw('POST', `/api/hooks/deploy/${appId}`, { cookie: owner.cookie }),
  ]
  for (const { status, json } of answers) expect([status, json.code]).toEqual([401, 'webhook_not_verified'])
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(await dumped()).toEqual(before)
  expect((await call(appId, secret, `{"x":"${'x'.repeat(20_000)}"}`)).status).toBe(413)
  await owner.call('apps.deleteHook', { appId })
  expect((await call(appId, secret)).status).toBe(401)
})

it('a hook works as long as whoever made it may deploy the app', async () => {
  const appId = await newApp()
  const [maker, other] = [await berth.as('maker'), await berth.as('other')]
  const members = async (...people: Person[]) =>
    await owner.call('projects.members', { id: projectId, emails: people.map(({ email }) => email) })
  await members(maker, other)
  const { secret } = await maker.call('apps.rotateHook', { appId })
  expect((await owner.call('apps.get', { appId })).deploy_hook_by).toBe(maker.id)
  expect((await call(appId, secret)).status).toBe(200)
  await members(other)
  const before = (await deploymentsOf(appId)).length
  for (const body of [undefined, { branch: 'main' }, { commit: 'ab'.repeat(20) }]) {
    const refused = await call(appId, secret, body)
    expect([refused.status, refused.json.code, refused.json.error]).toEqual([
      403,
      'not_allowed',
      expect.stringContaining('The user who created this deploy hook can no longer deploy the app'),
    ])
  }
  expect((await deploymentsOf(appId)).length).toBe(before)
  await members(maker, other)
  expect((await call(appId, secret)).status).toBe(200)
  const { secret: next } = await other.call('apps.rotateHook', { appId })
  await owner.call('users.delete', { id: other.id })
  expect((await owner.call('apps.get', { appId })).deploy_hook_by).toBe(null)
  expect((await call(appId, next)).status).toBe(403)
  expect((await call(appId, secret)).status).toBe(401)
})

it('the secret is in no answer but the first, and not in the database', async () => {
  const appId = await newApp()
  const { secret } = await owner.call('apps.rotateHook', { appId })
  await call(appId, secret)
  const shown = [await owner.call('apps.get', { appId }), await owner.call('audit.list', { limit: 50 }), await dumpDatabase(berth)]
  expect(JSON.stringify(shown)).not.toContain(secret)
  expect(JSON.stringify(shown.slice(0, 2))).not.toContain('hook_hash')
  expect(berth.log()).not.toContain(secret)
})

it('a hook has a limit of its own, and none for an app without a source', async () => {
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'called often' })
  const { secret } = await owner.call('apps.rotateHook', { appId })
  const statuses = await Promise.all(Array.from({ length: 130 }, async () => (await call(appId, secret)).status))
  expect(statuses.filter((status) => status === 200).length).toBe(120)
  expect(statuses.filter((status) => status === 503).length).toBe(10)
  const database = await owner.call('apps.create', { projectId, name: 'db', appType: 'database', templateName: 'redis' })
  await expect(owner.call('apps.rotateHook', { appId: database.id })).rejects.toMatchObject({ code: 'invalid_request' })
})

it('an app is deployed over ssh with a key of its own, whose private half nobody sees', async () => {
  const source = { gitCloneUrl: sshd.urlOf(repo.directory), gitBranch: 'main' }
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'over ssh', ...source })
  const commitOf = async () => (await owner.call('deployments.add', { appId })).commit_hash
  expect(await commitOf()).toBe('') // the worker will say that there is no key
  const check = await owner.call('apps.checkSource', { projectId, gitCloneUrl: source.gitCloneUrl })
  expect([check.reachable, check.message]).toEqual([false, expect.stringContaining('needs a deploy key')])
  const { publicKey, fingerprint } = await owner.call('apps.createDeployKey', { appId })
  expect(await commitOf()).toBe('')
  await sshd.authorize([publicKey])
  expect(await commitOf()).toBe(repo.hash)
  expect((await owner.call('builds.plan', { appId })).plan).toMatchObject({ builder: 'dockerfile' })
  const app = await owner.call('apps.get', { appId })
  expect([app.deploy_key, app.host_key]).toEqual([publicKey, expect.stringMatching(/^127\.0\.0\.1:\d+ SHA256:\S{43}$/)])
  await sshd.changeHostKey()
  expect(await commitOf()).toBe('')
  await owner.call('apps.forgetHostKey', { appId })
  expect(await commitOf()).toBe(repo.hash)
  expect((await owner.call('apps.get', { appId })).host_key).not.toBe(app.host_key)
  const shown = JSON.stringify([app, await owner.call('audit.list', { limit: 50 }), await dumpDatabase(berth)])
  expect(shown).toContain(fingerprint)
  expect(shown + berth.log()).not.toContain('PRIVATE KEY')
  await owner.call('apps.deleteDeployKey', { appId })
  expect(await commitOf()).toBe('')
  expect(await owner.call('apps.get', { appId })).toMatchObject({ deploy_key: '', host_key: '' })
})

it('a push that no webhook tells of is found by a look at the branch, where that is not switched off', async () => {
  const own = await git.createRepository({ files: { Dockerfile: 'FROM scratch' } })
  const source = { projectId, gitCloneUrl: own.url, gitBranch: 'main' }
  const looked = await owner.call('apps.create', { ...source, name: 'looked at' })
  const quiet = await owner.call('apps.create', { ...source, name: 'quiet', pollSource: false })
  expect([looked.poll_source, quiet.poll_source]).toEqual([null, false])
  for (const { id: appId } of [looked, quiet]) await owner.call('deployments.add', { appId })
  const pushed = await own.commit({ files: { a: 'pushed' } })
  await expect
    .poll(async () => (await deploymentsOf(looked.id))[0], { timeout: 30_000 })
    .toMatchObject({ trigger: 'poll', commit_hash: pushed, triggered_by: null })
  expect((await deploymentsOf(quiet.id)).map(({ trigger }) => trigger)).toEqual(['manual'])
  await owner.call('apps.update', { appId: quiet.id, pollSource: true })
  await expect.poll(async () => (await deploymentsOf(quiet.id))[0]?.trigger, { timeout: 30_000 }).toBe('poll')
})
