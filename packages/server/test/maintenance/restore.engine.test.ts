import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LABEL } from '../../src/engine/labels.ts'
import { bundledMain } from '../../testing/harness/server-bundle.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'
import { type EdgeLab, type LabApp, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'

const HOST = 'shop.example.test'
let lab: EdgeLab
let shop: LabApp
let directory: string
let file: string
/** Projects whose creation was answered before the backup began. */
let before: string[]
const volumes = async () => await lab.engine.volumes.list({ labels: { [LABEL.instance]: lab.instance } })
const containers = async () =>
  await lab.engine.containers.list({ labels: { [LABEL.instance]: lab.instance, [LABEL.app]: String(shop.id) } })

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
})
afterAll(async () => {
  await lab.berth.stop()
  for (const { id } of await containers()) await lab.engine.containers.remove(id)
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
  return await startTestServer({ runs: 'as a process', dataDir, env: { ...lab.berth.env, BERTH_DATA_DIR: dataDir } })
}

async function answerOfShop(): Promise<unknown> {
  const answer = await visit(lab, { host: HOST })
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
  expect(await command(['doctor'], restored.dataDir)).toMatch(/^ok {7}Apps: 1 live, all with their containers and volumes$/m)

  // what it deploys next goes through the edge of the new directory
  await shop.commit({ version: '2' })
  await call('deployments.add', { appId: shop.id })
  await until(async () => JSON.stringify(await answerOfShop()).includes('"version":"2"'), 'the next release', 90_000)
})

it('says on a machine without its containers what to deploy again and which data is missing', async () => {
  for (const { id } of await lab.engine.containers.list({ labels: { [LABEL.instance]: lab.instance } }))
    await lab.engine.containers.remove(id)
  await removeVolumes()
  for (const { tags } of await lab.engine.images.list({ labels: { [LABEL.instance]: lab.instance } }))
    for (const tag of tags) await lab.engine.images.remove(tag)
  await using restored = await startRestored('new-machine')
  const said = await command(['doctor'], restored.dataDir)
  expect(said).toMatch(/^warning {2}Apps: Shop \(project Lab\) has no container here\n {9}→ Deploy it again\.$/m)
  expect(said).toMatch(/^PROBLEM {2}Apps: the data of Shop \(project Lab\) is not on this machine\n {9}→ Copy its volume here/m)
  const { call } = await restored.owner()
  const found = (await call('doctor.run')).filter(({ check }) => check === 'Apps').map(({ level, message }) => [level, message])
  expect(found).toEqual([
    ['warning', 'Shop (project Lab) has no container here'],
    ['problem', 'the data of Shop (project Lab) is not on this machine'],
  ])
  const status = async () => (await call('apps.get', { appId: shop.id })).status
  await until(async () => (await status()) === 'error', 'it is not shown as running')
  expect(await volumes()).toEqual([])

  await call('deployments.add', { appId: shop.id })
  await until(async () => typeof (await answerOfShop()) !== 'number', 'it is deployed again', 120_000)
  await until(async () => (await status()) === 'running', 'it is shown as running')
})
