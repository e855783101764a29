import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHaproxyRuntime } from '../src/edge/haproxy-runtime.ts'
import { LABEL } from '../src/engine/labels.ts'
import { APP_PORT, type EdgeLab, type LabApp, startEdgeLab, until } from '../src/testing/edge-lab.ts'
import { openEcho, visit } from '../src/testing/edge-visitor.ts'
import { freePort } from '../src/testing/test-edge.ts'

let lab: EdgeLab
let shop: LabApp
const HOST = 'shop.example.test'
const serves = async () => (await visit(lab, { host: HOST }).catch(() => undefined))?.status === 200

beforeAll(async () => {
  lab = await startEdgeLab()
  shop = await lab.addApp('Shop', { domain: HOST })
  await lab.deployWell(shop)
})
afterAll(async () => await lab[Symbol.asyncDispose]())

async function pidOfEdge(): Promise<number> {
  return (await lab.engine.containers.inspect(lab.edgeContainer))?.pid ?? 0
}

/** The container of an app's live release, and its address in its project's network. */
async function containerOf(app: LabApp): Promise<{ id: string; ip: string }> {
  const labels = { [LABEL.instance]: lab.instance, [LABEL.app]: String(app.id) }
  const [found] = await lab.engine.containers.list({ labels })
  return { id: found?.id ?? '', ip: Object.values(found?.ips ?? {})[0] ?? '' }
}

it('goes on without the control plane, and HAProxy comes back by itself with the same routes when it is killed too', async () => {
  const echo = await openEcho(lab, HOST)
  await lab.berth.kill9()
  expect(await serves()).toBe(true)
  expect(await echo.say('alone')).toBe('alone')
  echo.socket.destroy()
  const before = await pidOfEdge()
  process.kill(before, 'SIGKILL')
  await until(async () => ![0, before].includes(await pidOfEdge()), 'HAProxy runs again')
  await until(serves, 'the route is there again', 20_000)
  expect((await visit(lab, { host: 'nobody.example.test' })).status).toBe(404)

  // what somebody changed meanwhile is put right by the control plane, and the route never goes
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

it('starts HAProxy again when its container was removed by hand', async () => {
  await lab.engine.containers.remove(lab.edgeContainer)
  await lab.call('domains.create', { appId: shop.id, domain: 'second.example.test' })
  await until(serves, 'the edge is there again')
  await until(async () => (await visit(lab, { host: 'second.example.test' })).status === 200, 'the new domain')
  expect((await visit(lab, { host: 'nobody.example.test' })).status).toBe(404)
})

it('keeps a deployed app from the control plane, the edge and other projects, and lets it reach its own project', async () => {
  const other = await lab.call('projects.create', { name: 'Other' })
  const neighbour = await lab.addApp('Neighbour')
  const stranger = await lab.addApp('Stranger', { projectId: other.id })
  await Promise.all([lab.deployWell(neighbour), lab.deployWell(stranger)])
  await until(async () => lab.berth.log().includes('firewall for apps in place'), 'the firewall')
  const own = await containerOf(shop)
  const foreign = await containerOf(stranger)
  const gateway = own.ip.replace(/\d+$/, '1')
  const reach = async (host: string, port: number) => (await visit(lab, { host: HOST, path: `/reach?host=${host}&port=${port}` })).text
  expect(await reach(gateway, lab.controlPort)).toBe('ECONNREFUSED')
  const addresses = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal),
  )
  for (const { address } of addresses) expect(await reach(address, lab.controlPort), address).not.toBe('open')
  expect(await reach('169.254.169.254', 80)).not.toBe('open')
  expect(await reach(foreign.ip, APP_PORT)).not.toBe('open')
  expect(await reach('stranger', APP_PORT)).not.toBe('open')
  expect(await reach('neighbour', APP_PORT)).toBe('open')
  expect(await reach(gateway, lab.httpPort)).toBe('open')
  const listed = await lab.engine.exec(own.id, ['ls', lab.paths.socket], AbortSignal.timeout(10_000))
  expect(listed.exitCode).not.toBe(0)
  expect((await lab.berth.anonymous('health')).messages).not.toHaveProperty('firewall')
})

it('says which port is taken and by whom, goes on without the edge, and starts it once the port is free', async () => {
  const http = await freePort()
  const blocker = createServer().listen(http, '0.0.0.0')
  await once(blocker, 'listening')
  await using blocked = await startEdgeLab({ ports: { http }, waitForEdge: false })
  const health = await until(async () => {
    const now = await blocked.berth.anonymous('health')
    return now.checks.edge === 'unreachable' && now
  }, 'the edge says what is wrong')
  expect(health.messages['edge']).toMatch(
    new RegExp(`^Port ${http} is taken by another program \\(.+\\)\\. Stop it, or choose another port with BERTH_EDGE_HTTP_PORT`),
  )
  expect((await blocked.call('projects.create', { name: 'Still works' })).name).toBe('Still works')
  blocker.close()
  await once(blocker, 'close')
  await blocked.edgeReady()
})
