import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { letEngineReach } from '../../testing/harness/engine-reach.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine, tarOf } from '../../testing/images/test-images.ts'
import { field, text } from '../engine/api/json.ts'
import { createTransport } from '../engine/api/transport.ts'
import { newImageName } from '../engine/image-names.ts'
import { labelsOf } from '../engine/labels.ts'
import { createEngineFirewall, removeEngineFirewall } from './engine-firewall.ts'
import { engineGroup } from './engine-process-cgroup.ts'

const test = openTestEngine()
const { engine, instance } = test
const visits: string[] = []
const server = createServer((request, response) => {
  visits.push(request.url ?? '')
  response.end('what nobody outside should read')
})
const socketPath = engineSocketPath()
const transport = createTransport({ address: { socketPath } })
const log = pino({ level: 'silent' })
const ownAddress = () =>
  Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry !== undefined && !entry.internal && isIPv4(entry.address))?.address ?? '127.0.0.1'
let port = 0
let closeWay: () => Promise<void>

beforeAll(async () => {
  await ensureBusybox(engine)
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port // a listening TCP server has an AddressInfo
  closeWay = await letEngineReach(port)
})
afterAll(async () => {
  await removeEngineFirewall(port)
  await closeWay()
  server.close()
  await test[Symbol.asyncDispose]()
})

async function add(url: string): Promise<string> {
  try {
    await engine.build({
      contextTar: tarOf({ Dockerfile: `FROM ${BUSYBOX_IMAGE}\nADD ${url} /x\n` }),
      dockerfile: 'Dockerfile',
      tag: newImageName(),
      labels: labelsOf({ instance, kind: 'app', appId: 1 }),
      onLine: () => undefined,
      signal: AbortSignal.timeout(30_000),
    })
    return 'built'
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** Another port than that of the server stands for the control plane here, so that what is refused is refused for its address. */
const firewall = (privateSources: string[] = []) =>
  createEngineFirewall({ log, mode: 'auto', engine: { socketPath }, edgePorts: [], privateSources, registry: undefined })

describe('around the engine', () => {
  it('a control group of its own is found by the socket that it listens on', async () => {
    expect(await engineGroup(socketPath)).toBeTypeOf('string')
    expect(await engineGroup('/nowhere/at-all.sock')).toBeUndefined()
  })

  it('a firewall blocks its downloads from this machine and private networks, as long as its rules exist', async () => {
    expect(await add(`http://127.0.0.1:${port}/before`)).toBe('built') // this is what the wall is for
    const wall = firewall()
    await wall.ensure(port)
    expect([wall.message(), wall.isInPlace()]).toEqual(['', true])
    await wall.ensure(port) // again and again
    visits.length = 0
    const hosts = ['127.0.0.1', 'localhost', '127.1', '2130706433', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', ownAddress()]
    for (const host of hosts) expect(await add(`http://${host}:${port}/${host.length}`)).toMatch(/^The build failed: /)
    expect(await add('http://10.224.0.2/x')).toMatch(/refused|reset/)
    expect(await add('http://169.254.169.254/latest/meta-data/')).toMatch(/refused|reset/)
    expect(visits).toEqual([])
  })

  it('no container can be reached either: not a build step on the default bridge, nor an app by the ports of a swarm', async () => {
    const network = (await engine.networks.ensureProjectNetwork({ instance, projectId: 1 })).name
    const start = async (port: number, where: string) => {
      const body = {
        Image: BUSYBOX_IMAGE,
        Cmd: ['sh', '-c', `echo reached > /www/x; exec httpd -f -p ${port} -h /www`],
        Labels: labelsOf({ instance, kind: 'app', appId: 1 }),
        HostConfig: { NetworkMode: where },
      }
      const id = text(field(await transport.json({ method: 'POST', path: '/containers/create', body }), 'Id'))
      await transport.json({ method: 'POST', path: `/containers/${id}/start` })
      const networks = field(await transport.json({ method: 'GET', path: `/containers/${id}/json` }), 'NetworkSettings', 'Networks')
      return `http://${text(field(networks, where, 'IPAddress'))}:${port}/x`
    }
    const urls = [await start(7946, network), await start(8080, 'bridge')]
    for (const url of urls) await expect.poll(async () => (await fetch(url)).status, { timeout: 20_000 }).toBe(200)
    const wall = firewall()
    await wall.ensure(port)
    for (const url of urls) expect(await add(url)).toMatch(/refused|reset/)
  })

  it('a host that the admin allows stays reachable, but never the control plane', async () => {
    const other = createServer((_request, response) => response.end('allowed')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const allowedPort = (other.address() as AddressInfo).port // as above
    const closeOther = await letEngineReach(allowedPort)
    await removeEngineFirewall(port) // so that it is entered before the way above
    await firewall(['127.0.0.1']).ensure(port)
    expect(await add(`http://127.0.0.1:${allowedPort}/x`)).toBe('built')
    expect(await add(`http://127.0.0.1:${port}/health`)).toMatch(/refused|reset/)
    other.close()
    await closeOther()
  })
})
