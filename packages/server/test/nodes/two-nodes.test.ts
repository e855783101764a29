import { existsSync } from 'node:fs'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../testing/harness/listening.ts'
import { startPostgres } from '../../testing/harness/postgres-cluster.ts'
import { newDataDir, OWNER, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { runServerToItsEnd } from '../../testing/harness/test-process.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
let url: string
let a: TestServer
let b: TestServer

const tuning = { reconcileMs: 1000 }
const envOf = (name: string) => ({ BERTH_DATABASE_URL: url, BERTH_NODE_NAME: name })

const directories: string[] = []

/** Of another node with the same keys. */
async function dataDirLike(from: string): Promise<string> {
  const dataDir = await newDataDir()
  directories.push(dataDir)
  for (const key of ['secrets.key', 'session.key']) await copyFile(path.join(from, key), path.join(dataDir, key))
  return dataDir
}

beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
  a = await startTestServer({ env: envOf('a'), tuning })
  b = await startTestServer({ env: envOf('b'), dataDir: await dataDirLike(a.dataDir), tuning })
})
afterAll(async () => {
  await b[Symbol.asyncDispose]()
  await a[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
  for (const directory of directories) await rm(directory, { recursive: true })
})

it('a session of one node is one of the other, and so is its end', async () => {
  const { cookie } = await a.logIn(OWNER.email, OWNER.password)
  expect((await b.raw('GET', '/api/projects', { cookie })).status).toBe(200)
  await a.raw('POST', '/api/auth/logout', { cookie })
  expect((await b.raw('GET', '/api/projects', { cookie })).status).toBe(401)
})

it('a browser on any node hears every event once and in order, also after it moved to another one', async () => {
  const owner = await a.owner()
  const onB = await b.logIn(OWNER.email, OWNER.password)
  await using heardByB = await b.connect('events', { cookie: onB.cookie })
  const start = (await heardByB.waitFor(({ type }) => type === 'ready')).seq ?? 0
  const names = Array.from({ length: 20 }, (_unused, n) => n)
  await Promise.all(names.map(async (n) => await (n % 2 === 0 ? owner : onB).call('projects.create', { name: `project ${n}` })))
  await heardByB.waitFor(() => heardByB.frames.filter(({ type }) => type === 'project.created').length >= 20)
  await using moved = await a.connect('events', { cookie: owner.cookie, input: { after: start } })
  await moved.waitFor(() => moved.frames.filter(({ type }) => type === 'project.created').length >= 20)
  const seqs = (frames: typeof moved.frames) => frames.slice(1).map(({ seq }) => seq ?? 0)
  const numbers = seqs(heardByB.frames)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((x, y) => x - y))
  expect(seqs(moved.frames)).toEqual(numbers)
})

it('an event of another node is heard even if the connection breaks that listens for it', async () => {
  const owner = await a.owner()
  const onB = await b.logIn(OWNER.email, OWNER.password)
  await using socket = await b.connect('events', { cookie: onB.cookie })
  await socket.waitFor(({ type }) => type === 'ready')
  const listening = `select pg_terminate_backend(pid) as ended from pg_stat_activity where query = 'listen berth'`
  const cut = `select 1 / count(ended) from (${listening}) as all_of_them` // fails if there is none
  await postgres.tell(cut)
  const { id: projectId } = await owner.call('projects.create', { name: 'unheard' })
  const heard = await socket.waitFor(({ type, data }) => type === 'project.created' && data['projectId'] === projectId, 10_000)
  expect(heard.seq).toBeGreaterThan(0)
})

it('each node lists all of them: one that is killed is away, and one that is stopped in order is stopped', async () => {
  const owner = await a.owner()
  await using c = await startTestServer({ runs: 'as a process', env: envOf('c'), dataDir: await dataDirLike(a.dataDir), tuning })
  const onC = await c.logIn(OWNER.email, OWNER.password)
  const listed = async (caller: typeof owner) => await caller.call('nodes.list')
  const states = async () => (await listed(owner)).map(({ name, state }) => `${name} ${state}`)
  await expect.poll(states).toEqual(['a running', 'b running', 'c running'])
  expect((await listed(onC)).map(({ name, isThis }) => [name, isThis])).toEqual([
    ['a', false],
    ['b', false],
    ['c', true],
  ])
  const [first, , last] = await listed(owner)
  expect((await listed(owner)).filter(({ runsLoops }) => runsLoops)).toMatchObject([{ name: 'a' }])
  expect(Date.parse(last?.startedAt ?? '')).toBeGreaterThan(Date.parse(first?.startedAt ?? ''))
  const remove = async (name: string) => await owner.call('nodes.remove', { name })
  for (const name of ['a', 'c']) await expect(remove(name)).rejects.toMatchObject({ code: 'node_running' })
  await c.kill9()
  await expect.poll(states, { timeout: 20_000 }).toEqual(['a running', 'b running', 'c away'])
  const away = (await listed(owner)).at(-1)
  expect(Date.parse(away?.lastSeenAt ?? '')).toBeLessThan(Date.now() - 9000)
  await c.startAgain()
  await expect.poll(states).toEqual(['a running', 'b running', 'c running'])
  await c.stop()
  expect(await states()).toEqual(['a running', 'b running', 'c stopped'])
  await expect
    .poll(async () => await remove('c').catch((cause: unknown) => cause), { timeout: 30_000 })
    .toMatchObject([{ name: 'a' }, { name: 'b' }])
  await expect(remove('c')).rejects.toMatchObject({ code: 'node_not_found' })
  expect(await owner.call('audit.list', { action: 'node.' })).toMatchObject([{ action: 'node.remove', subject: 'node' }])
})

it('the log of a deployment is the same through both nodes, whoever wrote it', async () => {
  const owner = await a.owner()
  const onB = await b.logIn(OWNER.email, OWNER.password)
  const project = await owner.call('projects.create', { name: 'Logs' })
  const gitCloneUrl = 'https://git.example.test/shop.git'
  const logs: string[] = []
  for (const caller of [owner, onB]) {
    const app = await owner.call('apps.create', {
      name: `by ${logs.length}`,
      projectId: project.id,
      port: 8080,
      gitCloneUrl,
      gitBranch: 'main',
    })
    const { id: deploymentId } = await owner.call('deployments.add', { appId: app.id })
    await caller.call('deployments.stop', { deploymentId }).catch(() => undefined) // it may have failed by itself
    const textAt = async (node: TestServer, { cookie }: { cookie: string }) =>
      (await node.raw('GET', `/api/deployment/logs/${deploymentId}`, { cookie })).text
    const both = async () => [await textAt(a, owner), await textAt(b, onB)]
    await expect
      .poll(both, { timeout: 30_000 })
      .toEqual([expect.stringMatching(/(Cancelled|Failed: .*)\n$/), expect.stringMatching(/(Cancelled|Failed: .*)\n$/)])
    const [first = '', second] = await both()
    expect(second).toBe(first)
    logs.push(first)
  }
  expect(logs).toHaveLength(2)
})

it('each node removes its own files of logs whose deployments are gone', async () => {
  const files = [a, b].map(({ dataDir }) => path.join(dataDir, 'logs', 'd999999.log'))
  for (const file of files) {
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, ' one\n')
  }
  await expect.poll(() => files.filter((file) => existsSync(file)), { timeout: 10_000 }).toEqual([])
})

it('no node reads a source from the port of another one, for admins neither', async () => {
  const port = await freePort()
  const env = { ...envOf('c'), PORT: String(port) }
  await using c = await startTestServer({ runs: 'as a process', env, dataDir: await dataDirLike(a.dataDir), tuning })
  const owner = await a.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Sources' })
  const checked = async (gitCloneUrl: string) => await owner.call('apps.checkSource', { projectId, gitCloneUrl })
  expect(c.baseUrl).toContain(`:${port}`)
  expect(await checked(`http://127.0.0.1:${port}/r.git`)).toMatchObject({ message: expect.stringContaining('points to Berth itself') })
  expect(await checked(`http://localhost:${await freePort()}/r.git`)).toMatchObject({
    message: expect.stringContaining('does not accept connections'),
  })
})

it('refuses a second process with the name of a living node, and one with other keys', async () => {
  const started = { ...a.env, PORT: '0', BERTH_DATA_DIR: await dataDirLike(a.dataDir) }
  expect((await runServerToItsEnd(started)).errors).toContain('A node named "a" is running on the database')
  const other = await dataDirLike(a.dataDir)
  await copyFile(path.join(a.dataDir, 'session.key'), path.join(other, 'secrets.key'))
  const refused = await runServerToItsEnd({ ...started, BERTH_DATA_DIR: other, BERTH_NODE_NAME: 'c' })
  expect(refused.errors).toContain('The keys of this node differ from those of the node "a"')
})
