import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NewApplication } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LABEL, projectNetworkName } from '../../src/engine/labels.ts'
import type { FileMap } from '../../testing/harness/git-server.ts'
import type { Person } from '../../testing/harness/start-test-server.ts'
import { NODE_IMAGE } from '../../testing/images/node-image.ts'
import { BUSYBOX_IMAGE, buildTestImage } from '../../testing/images/test-images.ts'
import { until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { type EdgeLab, startEdgeLab } from '../../testing/labs/edge-lab.ts'

/** A secret on pages, in volumes and behind ports that another tenant must not reach. */
const SECRET = `secret-${randomBytes(8).toString('hex')}`
const FROM = `FROM ${BUSYBOX_IMAGE}`
const TRIGGER_IMAGE = `berth-test/trigger:${randomBytes(4).toString('hex')}`
/** The one host that this server's owner allows, and that another tenant may use as a relay. */
const ALLOWED = '127.0.0.3'

type Try = { files: FileMap; change?: Partial<NewApplication> }

let lab: EdgeLab
let bob: Person
let bobsProject = 0
let alices: { appId: number; composeId: number; ip: string; containerId: string; deploymentId: number; projectId: number }
const hits: string[] = []
const canary = createServer((request, response) => {
  hits.push(`${request.method} ${request.url} of ${request.headers['user-agent']}`)
  response.end(SECRET)
})
const goBetween = createServer((request, response) => {
  response.writeHead(302, { location: `http://127.0.0.1:${portOf(canary)}${request.url}` }).end()
})
const portOf = (server: Server) => (server.address() as AddressInfo).port // a listening TCP server has an AddressInfo
const loopback = () => `127.0.0.1:${portOf(canary)}`
const ownAddress = () =>
  Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry !== undefined && !entry.internal && isIPv4(entry.address))?.address ?? '127.0.0.1'

beforeAll(async () => {
  canary.listen(0, '127.0.0.1')
  goBetween.listen(0, ALLOWED)
  await Promise.all([once(canary, 'listening'), once(goBetween, 'listening')])
  lab = await startEdgeLab({ env: { BERTH_PRIVATE_SOURCES: ALLOWED } })
  await until(
    () => lab.berth.log(),
    (log) => log.includes('firewall rules for the engine added'),
  )
  const alice = await lab.berth.as('alice')
  bob = await lab.berth.as('bob')
  bobsProject = (await bob.call('projects.create', { name: 'Bob' })).id
  const project = await alice.call('projects.create', { name: 'Alice' })
  const app = await appIn(project.id, { files: webFiles(SECRET) })
  const deployment = await deploy(app.id)
  const store = { image: BUSYBOX_IMAGE, command: ['sh', '-c', `echo ${SECRET} > /data/kept; exec httpd -f -p 8080 -h /data`] }
  const files = { 'compose.yaml': JSON.stringify({ services: { store: { ...store, volumes: ['kept:/data'] } }, volumes: { kept: {} } }) }
  const composeApp = await appIn(project.id, { files, change: { appType: 'compose' } })
  await deploy(composeApp.id)
  const [container] = await lab.engine.containers.list({ labels: { [LABEL.instance]: lab.instance, [LABEL.app]: String(app.id) } })
  const ip = container?.ips[projectNetworkName(lab.instance, project.id)] ?? ''
  alices = {
    appId: app.id,
    composeId: composeApp.id,
    ip,
    containerId: container?.id ?? '',
    deploymentId: deployment.id,
    projectId: project.id,
  }
  await buildTestImage(lab.engine, TRIGGER_IMAGE, {
    Dockerfile: `${FROM}\nENV SOURCE=http://${loopback()}/env\nONBUILD ADD http://${loopback()}/trigger /reached\n`,
  })
  hits.length = 0
}, 240_000)
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await lab.engine.images.remove(TRIGGER_IMAGE)
  canary.close()
  goBetween.close()
})

/** The owner sets the source, so that the git server of the lab may be cloned; everything in it is the stranger's. */
async function appIn(projectId: number, { files, change }: Try) {
  const { url } = await lab.git.createRepository({ files })
  const name = `app ${randomBytes(4).toString('hex')}`
  return await lab.call('apps.create', { projectId, name, port: 8080, gitCloneUrl: url, gitBranch: 'main', ...change })
}

async function deploy(appId: number) {
  const { id } = await lab.call('deployments.add', { appId })
  return await lab.finished(id)
}

/** What Bob reads of a deployment of his: its log, how it ended, and what its containers print. */
async function bobReads(wanted: Try): Promise<string> {
  const app = await appIn(bobsProject, wanted)
  const { id, error_message } = await deploy(app.id)
  const printed = await bob.call('containers.logs', { appId: app.id }).catch(() => ({ logs: '' }))
  return [await bob.call('deployments.log', { deploymentId: id }), error_message, printed.logs].join('\n')
}

const built = (...lines: string[]): Try => ({
  files: { Dockerfile: [...lines, 'RUN cat /reached || true', 'CMD ["/bin/sh"]', ''].join('\n') },
})
const composed = (services: object, more: object = {}, files: FileMap = {}): Try => ({
  files: { 'compose.yaml': JSON.stringify({ services, ...more }), ...files },
  change: { appType: 'compose' },
})

describe("the engine's downloads for a stranger's build", () => {
  it('come neither from this machine nor from another project, however they are requested', { timeout: 240_000 }, async () => {
    const control = `${lab.controlPort}/health`
    const urls = [
      `http://${loopback()}/plain`,
      `http://localhost:${portOf(canary)}/name`,
      `http://127.1:${portOf(canary)}/short`,
      `http://2130706433:${portOf(canary)}/number`,
      `http://[::ffff:127.0.0.1]:${portOf(canary)}/mapped`,
      `http://user@${loopback()}/user`,
      `http://127.0.0.1:${control}`,
      `http://${ownAddress()}:${control}`,
      `http://${ALLOWED}:${control}`,
      `http://${alices.ip}:8080/index.html`,
      'http://169.254.169.254/latest/meta-data/',
      `http://${ALLOWED}:${portOf(goBetween)}/redirect`,
    ]
    const withBuild = (lines: readonly string[], args: object = {}) =>
      composed({ web: { build: { context: '.', args } } }, {}, { Dockerfile: [...lines, 'RUN cat /reached || true', ''].join('\n') })
    const tries: Try[] = [
      ...urls.map((url) => built(FROM, `ADD ${url} /reached`)),
      built(FROM, `ADD ["http://${loopback()}/json", "/reached"]`),
      built(FROM, `ARG URL=http://${loopback()}/argument`, 'ADD ${URL} /reached'),
      built(FROM, `ENV URL=http://${loopback()}/variable`, 'ADD $URL /reached'),
      built(FROM, `ARG HOST=${loopback()}`, 'ADD http://${HOST}/host /reached'),
      built(`FROM ${TRIGGER_IMAGE}`),
      built(`FROM ${TRIGGER_IMAGE}`, 'ADD $SOURCE /reached'),
      built(FROM, 'ADD \\', `  http://${loopback()}/lines /reached`),
      built(FROM, `ADD http://${loopback()}/repository.git /reached`),
      built(FROM, `ADD git://${loopback()}/repository /reached`),
      built(`# syntax=${loopback()}/frontend`, FROM),
      built(`FROM ${loopback()}/image`),
      built(`ARG REGISTRY=${loopback()}`, 'FROM ${REGISTRY}/image'),
      built(FROM, `COPY --from=${loopback()}/image /etc/passwd /reached`),
      built(FROM, `RUN --mount=from=${loopback()}/image,target=/other cat /other/etc/passwd`),
      withBuild([FROM, `ADD http://${loopback()}/compose /reached`]),
      withBuild([FROM, 'ARG URL', 'ADD $URL /reached'], { URL: `http://${loopback()}/compose-argument` }),
      withBuild([FROM], { BUILDKIT_SYNTAX: `${loopback()}/frontend` }),
      { files: { Dockerfile: `${FROM}\n`, 'berth.json': JSON.stringify({ buildArgs: { BUILDKIT_SYNTAX: `${loopback()}/frontend` } }) } },
      composed({ web: { image: `${loopback()}/image`, expose: [8080] } }),
    ]
    const seen = await Promise.all(tries.map(async (one) => await bobReads(one)))
    expect(hits).toEqual([])
    for (const [index, text] of seen.entries()) expect([index, text]).toEqual([index, expect.not.stringMatching(`${SECRET}|"uptime"`)])
    expect(seen[0]).toContain('points to a private address, which is only allowed for hosts in BERTH_PRIVATE_SOURCES.')
    expect(seen.join('\n')).toContain('Only docker/dockerfile:1 is allowed here.')
  })
})

describe("a stranger's steps and containers", () => {
  /** Says of each address in its arguments whether a connection could be opened. */
  const REACH = `
    import { connect } from 'node:net'
    for (const address of process.argv.slice(2)) {
      const [, host, port] = /^(.*):(\\d+)$/.exec(address)
      const socket = connect({ host, port, timeout: 2000 })
      const met = await new Promise((resolve) => {
        socket.once('connect', () => resolve('open')).once('timeout', () => resolve('timeout')).once('error', ({ code }) => resolve(code))
      })
      socket.destroy()
      console.log('reach', address, met)
    }`
  const targets = () => [
    `${alices.ip}:8080`,
    'store:8080',
    `127.0.0.1:${portOf(canary)}`,
    `${ALLOWED}:${lab.controlPort}`,
    `${ownAddress()}:${lab.controlPort}`,
    `172.17.0.1:${lab.controlPort}`,
    '169.254.169.254:80',
  ]
  const files = (lines: readonly string[]): FileMap => ({
    'reach.mjs': REACH,
    Dockerfile: [`FROM ${NODE_IMAGE}`, 'COPY reach.mjs /reach.mjs', ...lines, ''].join('\n'),
  })
  const openIn = (text: string) => [...text.matchAll(/reach (\S+) open/g)].map(([, address]) => address)
  const metIn = (text: string) => [...text.matchAll(/reach (\S+) (?:open|timeout|E[A-Z_]+)/g)].length

  it('reach neither the other project nor the control plane nor metadata while they build', async () => {
    const edge = `${ownAddress()}:${lab.httpPort}` // to show that connections work at all
    const text = await bobReads({ files: files([`RUN node /reach.mjs ${edge} ${targets().join(' ')}`]) })
    expect(openIn(text)).toEqual([edge])
    expect(metIn(text)).toBe(targets().length + 1)
  })

  it('reach neither while they run, also not by the gateway of their own network', async () => {
    await bobReads({ files: webFiles('so that the network is there') })
    const [subnet = ''] = (await lab.engine.networks.inspect(projectNetworkName(lab.instance, bobsProject)))?.subnets ?? []
    const gateway = subnet.replace(/\d+\/\d+$/, '1')
    const edge = `${ownAddress()}:${lab.httpPort}`
    const all = [edge, ...targets(), `${gateway}:${lab.controlPort}`]
    const app = await appIn(bobsProject, { files: files([`CMD node /reach.mjs ${all.join(' ')}; exec httpd -f -p 8080 -h /www`]) })
    await deploy(app.id)
    const printed = async () => (await bob.call('containers.logs', { appId: app.id })).logs
    await expect.poll(async () => metIn(await printed()), { timeout: 60_000 }).toBeGreaterThanOrEqual(all.length)
    expect(new Set(openIn(await printed()))).toEqual(new Set([edge]))
  })

  it('get nothing of the other project through a compose file', { timeout: 240_000, tags: 'long' }, async () => {
    const [volume] = await lab.engine.volumes.list({ labels: { [LABEL.instance]: lab.instance, [LABEL.app]: String(alices.composeId) } })
    const name = volume?.name ?? ''
    const network = projectNetworkName(lab.instance, alices.projectId)
    const service = { image: BUSYBOX_IMAGE, command: ['sh', '-c', 'cat /data/kept /data/*; sleep 60'] }
    const mounted = { web: { ...service, volumes: ['kept:/data'] } }
    const tries: Try[] = [
      composed({ web: { ...service, volumes: [`${name}:/data`] } }),
      composed(mounted, { volumes: { kept: { external: true, name } } }),
      composed(mounted, { volumes: { kept: { external: { name } } } }),
      composed(mounted, { volumes: { kept: { name } } }),
      composed(mounted, { volumes: { kept: { driver_opts: { type: 'none', o: 'bind', device: '/var/lib' } } } }),
      composed({ web: { ...service, volumes_from: [`container:${alices.containerId}`] } }),
      composed({ web: { ...service, network_mode: `container:${alices.containerId}` } }),
      composed({ web: { ...service, pid: `container:${alices.containerId}` } }),
      composed({ web: { ...service, ipc: `container:${alices.containerId}` } }),
      composed({ web: { ...service, external_links: [alices.containerId] } }),
      composed({ web: { ...service, container_name: `berth-${lab.instance}-app-${alices.appId}` } }),
      composed({ web: { ...service, networks: ['other'] } }, { networks: { other: { external: true, name: network } } }),
      composed({ networks: { other: { name: network } } }),
      composed({ web: { ...service, labels: { [LABEL.app]: String(alices.appId) } } }),
      composed({ web: { ...service, env_file: ['/proc/1/environ'] } }),
      composed({ web: { ...service, extends: { file: '/etc/passwd', service: 'x' } } }),
    ]
    const seen = await Promise.all(tries.map(async (one) => await bobReads(one)))
    for (const [index, text] of seen.entries()) expect([index, text]).toEqual([index, expect.not.stringContaining(SECRET)])
    const ofAlice = await lab.engine.containers.list({ labels: { [LABEL.instance]: lab.instance, [LABEL.app]: String(alices.appId) } })
    expect(ofAlice.map(({ id }) => id)).toEqual([alices.containerId]) // nothing of his counts as hers
  })
})

describe("a stranger's calls", () => {
  it('find nothing of the other project, by id, by socket or by listening', async () => {
    const { appId, deploymentId, projectId, containerId } = alices
    const calls = [
      bob.call('projects.get', { id: projectId }),
      bob.call('apps.get', { appId }),
      bob.call('apps.list', { projectId }),
      bob.call('apps.traffic', { appId }),
      bob.call('apps.transfer', { appId, userId: bob.id }),
      bob.call('envs.list', { appId }),
      bob.call('domains.list', { appId }),
      bob.call('containers.logs', { appId }),
      bob.call('containers.stop', { appId }),
      bob.call('deployments.add', { appId }),
      bob.call('deployments.get', { id: deploymentId }),
      bob.call('deployments.log', { deploymentId }),
      bob.call('deployments.rollback', { deploymentId }),
    ]
    const statuses = await Promise.all(
      calls.map(
        async (call) =>
          await call.then(
            () => 200,
            (cause: unknown) => (cause as { status?: number }).status, // an error of the client
          ),
      ),
    )
    expect(statuses).toEqual(calls.map(() => 404))
    const { cookie } = bob
    const sockets = [
      await lab.berth.connect('deployment.stream', { cookie, input: { deploymentId } }),
      await lab.berth.connect('deployment.streamById', { cookie, input: { deploymentId } }),
      await lab.berth.connect('container.logs', { cookie, input: { containerId } }),
    ]
    expect(sockets.map(({ status }) => status)).toEqual([404, 404, 404])
    await using events = await lab.berth.connect('events', { cookie })
    await (await lab.berth.as('alice')).call('apps.update', { appId: alices.composeId, description: 'Changed' }).catch(() => undefined)
    await deploy(appId)
    await sleep(500)
    expect(JSON.stringify(events.frames)).not.toContain(`"projectId":${projectId}`)
  })
})
