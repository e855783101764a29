import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHaproxyRuntime } from '../../src/edge/haproxy/runtime.ts'
import { LABEL } from '../../src/engine/labels.ts'
import { type EngineProxy, startEngineProxy } from '../../testing/harness/engine-proxy.ts'
import { freePort } from '../../testing/harness/listening.ts'
import { ownCertificate } from '../../testing/harness/own-certificate.ts'
import { ensureRedisImage } from '../../testing/images/database-images.ts'
import { type EdgeLab, type LabApp, OTHER_CONFIGURATION, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { openEcho, visit } from '../../testing/labs/edge-visitor.ts'

let lab: EdgeLab
/** Between the server and the machine's engine. */
let engine: EngineProxy
let shop: LabApp
const HOST = 'shop.example.test'
const REDIS_PORT = 6379
const serves = async () => (await visit(lab, { host: HOST }).catch(() => undefined))?.status === 200

beforeAll(async () => {
  engine = await startEngineProxy()
  lab = await startEdgeLab({ env: { DOCKER_HOST: `unix://${engine.socketPath}` }, tuning: { edgeRepairMs: 1000 } })
  shop = await lab.addApp('Shop', { domain: HOST })
  await lab.deployWell(shop)
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
})

/** The container of an app's live release, and its address in its project's network. */
async function containerOf(app: { id: number }): Promise<{ id: string; ip: string }> {
  const labels = { [LABEL.instance]: lab.instance, [LABEL.app]: String(app.id) }
  const [found] = await lab.engine.containers.list({ labels })
  return { id: found?.id ?? '', ip: Object.values(found?.ips ?? {})[0] ?? '' }
}

it('keeps serving without the control plane, and HAProxy restarts by itself with the same routes if it is killed too', async () => {
  const echo = await openEcho(lab, HOST)
  await lab.berth.kill9()
  expect(await serves()).toBe(true)
  expect(await echo.say('alone')).toBe('alone')
  echo.socket.destroy()
  const before = await lab.edgePid()
  process.kill(before, 'SIGKILL')
  await until(async () => ![0, before].includes(await lab.edgePid()), 'HAProxy runs again')
  await until(serves, 'the route is there again', 20_000)
  expect((await visit(lab, { host: 'nobody.example.test' })).status).toBe(404)

  // the control plane repairs what was changed meanwhile, and the route never disappears
  const runtime = createHaproxyRuntime({ socketPath: lab.paths.socket })
  await runtime.changeMap(lab.paths.map('hosts'), [
    { kind: 'del', key: HOST },
    { kind: 'add', key: 'stray.example.test', value: `app-${shop.id}|` },
  ])
  expect(await serves()).toBe(false)
  await lab.berth.startAgain()
  await until(serves, 'the drift is repaired', 20_000)
  await until(async () => (await visit(lab, { host: 'stray.example.test' })).status === 404, 'the stray entry is gone')
  await lab.deployWell(shop, { version: '2' })
  expect(JSON.parse((await visit(lab, { host: HOST })).text)).toMatchObject({ version: '2' })
})

describe('with nobody doing anything, the next look', () => {
  const runtime = () => createHaproxyRuntime({ socketPath: lab.paths.socket })

  it('restores entries, certificates and files that were removed or changed from outside', async () => {
    const host = 'drift.example.test'
    const { id } = await lab.call('domains.create', { appId: shop.id, domain: host })
    const { pem, chain, key } = ownCertificate(host)
    await lab.call('domains.setCertificate', { id, certificate: chain, privateKey: key })
    const isRight = async () => (await visit(lab, { host, ca: pem }).catch(() => undefined))?.status === 200
    await until(isRight, 'the certificate')

    await runtime().changeMap(lab.paths.map('apps'), [{ kind: 'set', key: `app-${shop.id}`, value: 'stopped' }])
    await until(serves, 'the entry is right again')
    await runtime().changeMap(lab.paths.map('hosts'), [{ kind: 'del', key: HOST }])
    await until(serves, 'the entry is there again')

    const [listed] = await runtime().listCertificates(lab.paths.certificateList)
    if (listed === undefined) throw new Error('no certificate is listed')
    await runtime().removeFromList(lab.paths.certificateList, listed)
    await runtime().deleteCertificate(listed.path)
    await until(isRight, 'the certificate is shown again')

    const files = [lab.paths.map('hosts'), lab.paths.map('targets'), lab.paths.certificateList, lab.paths.config]
    const before = await Promise.all(files.map(async (file) => await readFile(file, 'utf8')))
    for (const file of files) await writeFile(file, 'nonsense\n')
    await until(
      async () => (await Promise.all(files.map(async (file) => await readFile(file, 'utf8')))).join() === before.join(),
      'the files are as they were',
    )
    expect([await serves(), await isRight()]).toEqual([true, true])
  })

  it('starts HAProxy again after its container was stopped or removed by hand', async () => {
    await lab.engine.containers.stop(lab.edgeContainer, 1)
    await until(serves, 'the edge runs again')
    await lab.engine.containers.remove(lab.edgeContainer)
    await until(serves, 'the edge is there again')
    expect((await visit(lab, { host: 'nobody.example.test' })).status).toBe(404)
  })
})

it('keeps the current release while HAProxy serves but accepts no changes, and says why', { tags: 'long' }, async () => {
  await ensureRedisImage(lab.engine)
  await lab.berth.kill9()
  await lab.configureEdgeOtherwise()
  const placeholder = await readFile(lab.paths.placeholder, 'utf8')
  await writeFile(lab.paths.placeholder, 'damaged')
  engine.delay('GET /containers/json', 1000) // so the edge is already serving before its wanted state is known
  try {
    await lab.berth.startAgain()
    const failed = await lab.deploy(shop, { version: 'unreachable' })
    expect(failed).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(/^The proxy did not accept the new route.*did not load its new configuration/),
    })
    expect(JSON.parse((await visit(lab, { host: HOST })).text)).not.toMatchObject({ version: 'unreachable' })
    expect((await lab.berth.anonymous('health')).messages['edge']).toContain('keeps using the old one')
    await addDatabase('Unseen', lab.project.id) // nobody reaches it through the edge
  } finally {
    engine.clear()
    await writeFile(lab.paths.placeholder, placeholder)
  }
  await until(async () => (await lab.edgeConfiguration()) !== OTHER_CONFIGURATION, 'the configuration of this version', 60_000)
  await lab.deployWell(shop, { version: 'reachable' })
  expect(JSON.parse((await visit(lab, { host: HOST })).text)).toMatchObject({ version: 'reachable' })
})

it('switches once a busy engine lists its containers again', async () => {
  await shop.commit({ version: 'patient' })
  const { id } = await lab.call('deployments.add', { appId: shop.id })
  await until(async () => (await lab.call('deployments.log', { deploymentId: id })).includes('checking that it stays up'), 'healthy')
  engine.fail('GET /containers/json', { status: 500, times: 6 })
  try {
    expect(await lab.finished(id)).toMatchObject({ status: 'success', error_message: '' })
    expect(engine.isWaiting()).toBe(false)
  } finally {
    engine.clear()
  }
  expect(JSON.parse((await visit(lab, { host: HOST })).text)).toMatchObject({ version: 'patient' })
})

it('starts the earlier release again if the engine does not remove the failed one', { tags: 'long' }, async () => {
  const host = 'alone.example.test'
  const app = await lab.addApp('Alone', { domain: host })
  await lab.call('apps.update', { appId: app.id, deploymentStrategy: 'recreate' })
  await lab.deployWell(app)
  engine.fail('DELETE /containers/*', { status: 500 })
  try {
    expect((await lab.deploy(app, { version: '2', diesAfterMs: 100 })).status).toBe('failed')
    await until(async () => (await visit(lab, { host })).text.includes('"version":"1"'), 'the earlier release')
  } finally {
    engine.clear()
  }
})

/** A database of its own in this project, and its address. */
async function addDatabase(name: string, projectId: number): Promise<{ ip: string }> {
  const app = await lab.call('apps.create', { name, projectId, appType: 'database', templateName: 'redis' })
  const { id } = await lab.call('deployments.add', { appId: app.id })
  const deployment = await lab.finished(id)
  if (deployment.status !== 'success') throw new Error(deployment.error_message)
  return await containerOf(app)
}

const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  )

it('applies new and deleted domains and apps while the engine is too busy to list containers', async () => {
  const leaving = await lab.addApp('Leaving', { domain: 'leaving.example.test' })
  const statusOf = async (host: string) => (await visit(lab, { host })).status
  await until(async () => (await statusOf('leaving.example.test')) === 503, 'an app that was never deployed')
  engine.delay('GET /containers/json', 60_000)
  try {
    await lab.call('apps.delete', { appId: leaving.id })
    await until(async () => (await statusOf('leaving.example.test')) === 404, 'the deleted app', 20_000)
    const { id } = await lab.call('domains.create', { appId: shop.id, domain: 'added.example.test' })
    await until(async () => (await statusOf('added.example.test')) === 200, 'the new domain', 20_000)
    await lab.call('domains.delete', { id })
    await until(async () => (await statusOf('added.example.test')) === 404, 'the deleted domain', 20_000)
  } finally {
    engine.clear()
    engine.reset()
  }
  expect(await serves()).toBe(true)
})

describe('what runs for a user', () => {
  const METADATA = '169.254.169.254'
  beforeAll(async () => await until(async () => lab.berth.log().includes('firewall rules for apps added'), 'the firewall'))

  it('reaches the database of its own project, and neither another one nor the control plane nor the edge itself', async () => {
    await ensureRedisImage(lab.engine)
    const other = await lab.call('projects.create', { name: 'Other' })
    const [near, far] = await Promise.all([addDatabase('Near', lab.project.id), addDatabase('Far', other.id)])
    const own = await containerOf(shop)
    const gateway = own.ip.replace(/\d+$/, '1')
    const reach = async (host: string, port: number) => (await visit(lab, { host: HOST, path: `/reach?host=${host}&port=${port}` })).text
    expect(await reach('near', REDIS_PORT)).toBe('open')
    expect(await reach(near.ip, REDIS_PORT)).toBe('open')
    expect(await reach('far', REDIS_PORT)).not.toBe('open')
    expect(await reach(far.ip, REDIS_PORT)).not.toBe('open')
    for (const address of [gateway, ...ownAddresses()]) expect(await reach(address, lab.controlPort), address).toBe('ECONNREFUSED')
    expect(await reach(METADATA, 80)).toBe('ECONNREFUSED')
    expect(await reach(gateway, lab.httpPort)).toBe('open')
    const listed = await lab.engine.exec(own.id, ['ls', lab.paths.socket], AbortSignal.timeout(10_000))
    expect(listed.exitCode).not.toBe(0)
    // the engine here is behind a proxy, which no firewall rule can match
    expect((await lab.berth.anonymous('health')).messages['firewall'] ?? '').not.toContain('Apps and builds can reach')
  })

  it('reaches neither the control plane nor the addresses of cloud credentials while it is built', async () => {
    const addresses = [...ownAddresses().map((address) => `${address}:${lab.controlPort}`), `${METADATA}:80`]
    const curious = await lab.addApp('Curious')
    const built = await lab.deployWell(curious, { version: '2', buildStep: ['node', '/app/reach.mjs', ...addresses] })
    const log = await lab.call('deployments.log', { deploymentId: built.id })
    const met = [...log.matchAll(/reached \S+: (open|timeout|E[A-Z]+)/g)].map(([, answer]) => answer)
    expect(met).toEqual(addresses.map(() => 'ECONNREFUSED'))
  })
})

it('says which port is taken and by whom, runs without the edge, and starts it once the port is free', async () => {
  const http = await freePort()
  const blocker = createServer().listen(http, '0.0.0.0')
  await once(blocker, 'listening')
  await using blocked = await startEdgeLab({ ports: { http }, waitForEdge: false, tuning: { drainMs: 60_000 } })
  const health = await until(async () => {
    const now = await blocked.berth.anonymous('health')
    return now.checks.edge === 'unreachable' && now
  }, 'the edge says what is wrong')
  expect(health.messages['edge']).toMatch(
    new RegExp(`^Port ${http} is taken by another program \\(.+\\)\\. Stop it, or choose another port with BERTH_EDGE_HTTP_PORT`),
  )
  const app = await blocked.addApp('Still works')
  await blocked.deployWell(app)
  await blocked.deployWell(app, { version: '2' })
  const labels = { [LABEL.instance]: blocked.instance, [LABEL.app]: String(app.id) }
  await until(async () => (await blocked.engine.containers.list({ labels })).length === 1, 'the old release is gone undrained', 30_000)
  blocker.close()
  await once(blocker, 'close')
  await blocked.edgeReady()
})
