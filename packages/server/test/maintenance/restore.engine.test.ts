import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LABEL } from '../../src/engine/labels.ts'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { bundledMain } from '../../testing/harness/server-bundle.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'
import { NODE_IMAGE } from '../../testing/images/node-image.ts'
import { BUSYBOX_IMAGE } from '../../testing/images/test-images.ts'
import { type EdgeLab, type LabApp, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'

const HOST = 'shop.example.test'
const STACK_HOST = 'stack.example.test'
/** Says what is in its volume, and in the folder of its repository. */
const READER = `
  const { readFileSync } = require('node:fs')
  const read = (path) => { try { return readFileSync(path, 'utf8') } catch { return 'nothing' } }
  const about = () => JSON.stringify({ data: read('/data/kept.txt'), page: read('/site/page.txt') })
  require('node:http').createServer((_request, response) => response.end(about())).listen(3000)`
const STACK = {
  services: {
    web: { image: NODE_IMAGE, command: ['node', '-e', READER], expose: ['3000'], volumes: ['data:/data', '/cache', './site:/site:ro'] },
  },
  volumes: { data: {} },
}
let lab: EdgeLab
let shop: LabApp
/** Its image is on every machine, so that nothing but its volumes can be missing. */
let stack: LabApp
let directory: string
let file: string
/** Projects whose creation was answered before the backup began. */
let before: string[]
const volumes = async () => await lab.engine.volumes.list({ labels: { [LABEL.instance]: lab.instance } })
const containers = async ({ id } = shop) =>
  await lab.engine.containers.list({ labels: { [LABEL.instance]: lab.instance, [LABEL.app]: String(id) } })
const nameOfData = () => `berth-${lab.instance}-app-${stack.id}_data`

/** As an admin does in a terminal. */
async function docker(words: readonly string[], input?: Buffer): Promise<Buffer> {
  const running = promisify(execFile)('docker', ['-H', `unix://${engineSocketPath()}`, ...words], { encoding: 'buffer' })
  running.child.stdin?.end(input)
  return (await running).stdout
}

async function removeVolumes(): Promise<void> {
  for (const { name } of await volumes()) await lab.engine.volumes.remove(name)
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-restore-'))
  file = path.join(directory, 'backup.tar.gz')
  lab = await startEdgeLab()
  shop = await lab.addApp('Shop', { domain: HOST })
  await lab.call('apps.update', { appId: shop.id, volumes: [{ name: 'uploads', path: '/uploads' }] })
  await lab.deployWell(shop)
  stack = await lab.addApp('Stack', { domain: STACK_HOST, compose: STACK })
  await stack.repository.commit({ files: { 'site/page.txt': 'page' } })
  await lab.deployWell(stack)
})
afterAll(async () => {
  await lab.berth.stop()
  for (const { id } of [...(await containers()), ...(await containers(stack))]) await lab.engine.containers.remove(id)
  await removeVolumes()
  await lab[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function command(words: readonly string[], dataDir: string): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...lab.berth.env, BERTH_DATA_DIR: dataDir }
  const run = promisify(execFile)(process.execPath, ['--no-warnings', await bundledMain(), ...words], { env })
  return (await run.catch((cause: unknown) => cause as { stdout: string })).stdout // a problem is an exit code, and what it says counts
}

/** The same Berth with another data directory, on the same ports. */
async function startRestored(name: string) {
  const dataDir = path.join(directory, name)
  expect(await command(['restore', file], dataDir)).toContain(`Restored into ${dataDir}: `)
  return await start(dataDir)
}

async function start(dataDir: string) {
  return await startTestServer({ runs: 'as a process', dataDir, env: { ...lab.berth.env, BERTH_DATA_DIR: dataDir } })
}

async function answerOfShop(host = HOST): Promise<unknown> {
  const answer = await visit(lab, { host })
  return answer.status === 200 ? JSON.parse(answer.text) : answer.status
}

it('is backed up while people write and visit, and nobody notices', async () => {
  let [isOver, visits] = [false, 0]
  const answered: string[] = []
  const lost: unknown[] = []
  const writing = (async () => {
    for (let n = 0; !isOver; n += 1) answered.push((await lab.call('projects.create', { name: `During ${n}` })).name)
  })()
  const visiting = (async () => {
    for (; !isOver; visits += 1) {
      const answer = await answerOfShop()
      if (typeof answer === 'number') lost.push(answer)
    }
  })()
  await until(async () => answered.length >= 20, 'there is load')
  before = [...answered]
  expect(await command(['backup', file], lab.berth.dataDir)).toContain(file)
  isOver = true
  await Promise.all([writing, visiting])
  expect(lost).toEqual([])
  expect([visits > 20, answered.length > before.length]).toEqual([true, true])
})

it('gives nobody the data of an app that was made after the backup', async () => {
  const volumesOf = async ({ id }: LabApp) => (await volumes()).filter(({ owner }) => owner.appId === id).map(({ name }) => name)
  const late = await lab.addApp('Late', { projectId: (await lab.call('projects.create', { name: 'Late' })).id })
  await lab.call('apps.update', { appId: late.id, volumes: [{ name: 'uploads', path: '/uploads' }] })
  const lateRelease = await lab.deployWell(late)
  expect(await volumesOf(late)).toEqual([`berth-${lab.instance}-app-${late.id}-volume-uploads`])
  await lab.berth.stop()
  {
    await using restored = await startRestored('without-late')
    const { call } = await restored.owner()
    const project = await call('projects.create', { name: 'Stranger' })
    const gitCloneUrl = late.git_clone_url
    const app = await call('apps.create', { name: 'Stranger', projectId: project.id, appType: 'web', port: 3000, gitCloneUrl })
    await call('apps.update', { appId: app.id, volumes: [{ name: 'uploads', path: '/uploads' }] })
    const { id } = await call('deployments.add', { appId: app.id })
    await until(async () => (await call('deployments.get', { id })).status === 'success', 'the stranger is deployed', 90_000)
    expect([project.id > late.project_id, app.id > late.id, id > lateRelease.id]).toEqual([true, true, true])
    const own = { ...late, id: app.id }
    expect(await volumesOf(own)).toEqual([`berth-${lab.instance}-app-${app.id}-volume-uploads`])
    for (const old of await volumesOf(late))
      for (const { id: container } of await containers(own))
        expect(JSON.stringify(await docker(['inspect', container]).then(String))).not.toContain(old)
    await call('projects.delete', { id: project.id })
    await until(async () => (await containers(own)).length === 0, 'the stranger is gone', 60_000)
    expect(await volumesOf(late)).toHaveLength(1)
    await lab.engine.volumes.remove(`berth-${lab.instance}-app-${late.id}-volume-uploads`)
  }
})

it('finds its running app again by its labels after a restore into another directory: same data, nobody logged in', async () => {
  const [running] = await containers()
  await lab.berth.stop()
  await using restored = await startRestored('same-machine')
  expect((await restored.raw('GET', '/api/projects', { cookie: lab.owner.cookie })).status).toBe(401)
  const { call } = await restored.owner()
  const names = (await call('projects.list')).map(({ name }) => name)
  expect(before.filter((name) => !names.includes(name))).toEqual([])
  await until(async () => (await restored.anonymous('health')).checks.edge === 'ok', 'the edge is ready', 100_000)
  expect((await call('apps.get', { appId: shop.id })).status).toBe('running')
  expect(await answerOfShop()).toMatchObject({ app: 'Shop', version: '1' })
  expect((await containers()).map(({ id, state }) => [id, state])).toEqual([[running?.id, 'running']])
  expect(await command(['doctor'], restored.dataDir)).toMatch(/^ok {7}Apps: 2 live, all with their containers and volumes$/m)

  // what it deploys next goes through the edge of the new directory
  await shop.commit({ version: '2' })
  await call('deployments.add', { appId: shop.id })
  await until(async () => JSON.stringify(await answerOfShop()).includes('"version":"2"'), 'the next release', 90_000)
})

it('says on a machine without its containers what to deploy again and which data is missing', { tags: 'long' }, async () => {
  const [reader] = await containers(stack)
  await docker(['exec', reader?.id ?? '', 'node', '-e', "require('node:fs').writeFileSync('/data/kept.txt', 'kept')"])
  const copied = await docker(['run', '--rm', '-v', `${nameOfData()}:/data:ro`, BUSYBOX_IMAGE, 'tar', '-c', '-C', '/data', '.'])
  for (const { id } of await lab.engine.containers.list({ labels: { [LABEL.instance]: lab.instance } }))
    await lab.engine.containers.remove(id)
  await removeVolumes()
  for (const { tags } of await lab.engine.images.list({ labels: { [LABEL.instance]: lab.instance } }))
    for (const tag of tags) await lab.engine.images.remove(tag)
  let commands: string[]
  {
    await using restored = await startRestored('new-machine')
    await saysWhatIsMissing(restored)
    commands = await refusesToStart(restored)
  }
  await createAsTold(commands)
  await docker(['run', '--rm', '-i', '-v', `${nameOfData()}:/data`, BUSYBOX_IMAGE, 'tar', '-x', '-C', '/data'], copied)

  await using again = await start(path.join(directory, 'new-machine'))
  const { call } = await again.owner()
  await until(async () => typeof (await answerOfShop(STACK_HOST)) !== 'number', 'the stack runs again by itself', 120_000)
  expect(await answerOfShop(STACK_HOST)).toEqual({ data: 'kept', page: 'page' })
  const status = async ({ id }: LabApp) => (await call('apps.get', { appId: id })).status
  await until(async () => (await status(stack)) === 'running', 'the stack is shown as running')

  await call('deployments.add', { appId: shop.id })
  await until(async () => typeof (await answerOfShop()) !== 'number', 'it is deployed again', 120_000)
  await until(async () => (await status(shop)) === 'running', 'it is shown as running')
  expect(await command(['doctor'], again.dataDir)).toMatch(/^ok {7}Apps: 2 live, all with their containers and volumes$/m)
})

type Restored = Awaited<ReturnType<typeof startRestored>>

async function saysWhatIsMissing(restored: Restored): Promise<void> {
  const ofShop = `berth-${lab.instance}-app-${shop.id}-volume-uploads`
  const said = await command(['doctor'], restored.dataDir)
  expect(said).toMatch(/^warning {2}Apps: Shop \(project Lab\) has no container here\n {9}→ Deploy it again\.$/m)
  expect(said).toContain(`PROBLEM  Apps: the data of Shop (project Lab) is not on this machine: ${ofShop}\n         → Bring it here before`)
  const { call } = await restored.owner()
  const found = (await call('doctor.run')).filter(({ check }) => check === 'Apps').map(({ level, message }) => [level, message])
  expect(found).toEqual([
    ['warning', 'Shop (project Lab) has no container here'],
    ['warning', 'Stack (project Lab) has no container here'],
    ['problem', `the data of Shop (project Lab) is not on this machine: ${ofShop}`],
    ['problem', expect.stringContaining(`the data of Stack (project Lab) is not on this machine: ${nameOfData()}, berth-`)],
  ])
}

/** The commands that it says would create the volumes. */
async function refusesToStart(restored: Restored): Promise<string[]> {
  const { call } = await restored.owner()
  const reasonOf = async ({ id }: LabApp) => {
    const { status, status_reason } = await call('apps.get', { appId: id })
    return status === 'error' && status_reason.includes('The command: ') && status_reason
  }
  const reasons = await Promise.all([shop, stack].map(async (app) => await until(async () => await reasonOf(app), 'it says why')))
  expect(reasons[0]).toContain(`Its volume for /uploads (berth-${lab.instance}-app-${shop.id}-volume-uploads) is not on this machine.`)
  expect(reasons[1]).toContain(`Its volume for /data (${nameOfData()}) is not on this machine. Its volume for /cache (berth-`)
  expect(await containers(stack)).toEqual([])
  expect(await volumes()).toEqual([])

  await docker(['volume', 'create', nameOfData()])
  const words = `(${nameOfData()}) is on this machine without the labels of the app`
  await until(async () => String(await reasonOf(stack)).includes(words), 'a volume without labels is not taken')
  expect(await containers(stack)).toEqual([])
  await docker(['volume', 'rm', nameOfData()])

  const broken = { services: { web: { image: NODE_IMAGE, command: ['node', '-e', 'process.exit(3)'], expose: ['3000'] } } }
  await stack.repository.commit({ files: { 'compose.yaml': JSON.stringify(broken) } })
  const { id } = await call('deployments.add', { appId: stack.id })
  await until(async () => (await call('deployments.get', { id })).status === 'failed', 'a release without volumes fails', 90_000)
  await until(async () => String(await reasonOf(stack)).includes(nameOfData()), 'the live release is not brought back without them')
  expect(await containers(stack)).toEqual([])
  expect(await volumes()).toEqual([])
  return reasons.flatMap((reason) => reason.split('The command: ')[1]?.split(' && ') ?? [])
}

/** What was created has the labels of what Berth creates. */
async function createAsTold(commands: readonly string[]): Promise<void> {
  expect(commands).toHaveLength(3)
  for (const line of commands) {
    const [program, ...words] = line.split(' ')
    expect(program).toBe('docker')
    await docker(words)
  }
  expect(
    (await volumes()).map(({ name, owner }) => [name.startsWith(`berth-${lab.instance}-app-${owner.appId}`), owner.projectId]),
  ).toEqual(Array.from({ length: 3 }, () => [true, lab.project.id]))
}
