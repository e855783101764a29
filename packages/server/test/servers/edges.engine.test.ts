import { connect } from 'node:tls'
import { expect, it } from 'vitest'
import { selfSigned } from '../../src/lib/x509.ts'
import { dockerfile, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { keepVisiting } from '../../testing/labs/placed-lab.ts'
import { LOST_WITHIN_MS, lose } from './losing.ts'
import { type Lab, lab } from './shared-lab.ts'

type Node = Lab['here']
let site: Awaited<ReturnType<Lab['createApp']>>

const STORE = 'store.example.test'
/** So that the first server is not cut off for longer than Swarm bears: it would start everything anew. */
const BRIEFLY_MS = 1000
const DAY_MS = 24 * 3600_000

const script = (name: string, command: string) =>
  String.raw`RUN mkdir -p /www/cgi-bin && printf '#!/bin/sh\necho "content-type: text/plain"\necho\n${command}\n' > /www/cgi-bin/${name} && chmod 755 /www/cgi-bin/${name}`

/** It says for whom it takes its visitor, and which replica it is. */
const SAYS = dockerfile(
  ['COPY index.html /www/index.html', script('from', 'echo "$HTTP_X_FORWARDED_FOR"'), script('who', 'hostname')],
  'exec httpd -f -p "$PORT" -h /www',
)

const second = (): Node => {
  const [node] = lab.others
  if (!node) throw new Error('there is no second server')
  return node
}
const edgeOf = async (name: string) => (await lab.owner.call('servers.list')).servers.find((server) => server.name === name)?.edge
const switchEdge = async (node: Node, isOn: boolean) => {
  const { id } = await lab.server(node.name)
  return await lab.owner.call('servers.update', { serverId: id, edge: isOn })
}
const isCurrent = async (node: Node) =>
  await until(
    async () => await edgeOf(node.name),
    (edge) => edge?.state === 'current',
    60_000,
  )
const answers = async (node: Node, body: string) =>
  await until(
    async () => await lab.visit('/', node),
    (answer) => answer === `200 ${body}`,
    30_000,
  )
/** The replicas that an edge sends visitors to. */
async function replicasAt(node: Node): Promise<string[]> {
  const seen = new Set<string>()
  for (let visits = 0; visits < 20; visits += 1) seen.add(await lab.visit('/cgi-bin/who', node))
  return [...seen]
}

/** The name in the certificate that visitors get there. */
async function certificateAt(node: Node): Promise<string | undefined> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: node.address, port: 443, servername: lab.host, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.subject)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

it('visitors come in over a second server whose edge is switched on, and the app gets their address', async () => {
  site = await lab.createApp('site', { Dockerfile: SAYS, 'index.html': 'one' })
  await lab.owner.call('domains.create', { appId: site.id, domain: lab.host })
  await lab.owner.call('apps.update', { appId: site.id, replicas: 2 })
  expect(await lab.deploy(site.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.visit('/', second())).toContain('ECONNREFUSED')
  expect(await edgeOf('n2')).toEqual({ state: 'off', message: '' })

  expect(await switchEdge(second(), true)).toMatchObject({ edge: { state: expect.stringMatching(/behind|current/) } })
  expect(await isCurrent(second())).toEqual({ state: 'current', message: '' })
  expect(await lab.visit('/', second())).toBe('200 one')
  const from = await lab.visit('/cgi-bin/from', second())
  expect(from).toBe(`200 ${second().address.replace(/\.\d+$/, '.254')}`)
  expect(await lab.visit('/', lab.here)).toBe('200 one')
  const domains = await lab.owner.call('domains.list', { appId: site.id })
  expect(domains.find(({ domain }) => domain === lab.host)?.dnsRecords).toContainEqual(
    expect.objectContaining({ type: 'A', value: second().address }),
  )
})

it('an app with a volume, which runs on the first server, is reached there too', async () => {
  const store = await lab.createApp('store', webFiles('kept'))
  await lab.owner.call('apps.update', { appId: store.id, volumes: [{ name: 'data', path: '/data' }] })
  await lab.owner.call('domains.create', { appId: store.id, domain: STORE })
  expect(await lab.deploy(store.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.owner.call('containers.status', { appId: store.id })).toMatchObject({ state: 'running' })
  expect((await lab.owner.call('containers.status', { appId: store.id })).server).toBeUndefined()
  const other = async () => await second().run('curl', '-s', '-H', `host: ${STORE}`, `http://${second().address}/`)
  expect(await until(other, (answer) => answer === 'kept', 30_000)).toBe('kept')
})

it('its visitors are in the figures of the app', async () => {
  const { requests: before } = await lab.owner.call('apps.traffic', { appId: site.id })
  for (let visits = 0; visits < 20; visits += 1) expect(await lab.visit('/', second())).toBe('200 one')
  const seen = async () => (await lab.owner.call('apps.traffic', { appId: site.id })).requests - before
  expect(await until(seen, (count) => count >= 20, 20_000)).toBeGreaterThanOrEqual(20)
})

it('an edge leaves the network of a project that nothing of is routed any more, so that it can be removed', { tags: 'long' }, async () => {
  const other = await lab.owner.call('projects.create', { name: 'Other' })
  const app = await lab.createApp('other', webFiles('other'), other.id)
  await lab.owner.call('apps.update', { appId: app.id, volumes: [{ name: 'data', path: '/data' }] })
  await lab.owner.call('domains.create', { appId: app.id, domain: 'other.example.test' })
  expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
  const networks = async () => await lab.here.run('docker', 'network', 'ls', '--filter', 'driver=overlay', '--format', '{{.Name}}')
  const overlay = new RegExp(`-project-${other.id}(-|$)`, 'm')
  expect(await until(networks, (names) => overlay.test(names), 60_000)).toMatch(overlay)
  await lab.owner.call('apps.delete', { appId: app.id })
  expect(await until(networks, (names) => !overlay.test(names), 150_000, 2000)).not.toMatch(overlay)
  expect(await edgeOf('n2')).toEqual({ state: 'current', message: '' })
})

it('a certificate is served there, and its key is only on servers whose edge is on', async () => {
  const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 90 * DAY_MS) }
  const { certificate, key } = selfSigned({ host: lab.host, ...times })
  const domain = (await lab.owner.call('domains.list', { appId: site.id })).find(({ domain: name }) => name === lab.host)
  await lab.owner.call('domains.update', { id: domain?.id ?? 0, redirectHttps: false })
  await lab.owner.call('domains.setCertificate', { id: domain?.id ?? 0, certificate, privateKey: key })
  for (const node of [lab.here, second()])
    expect(
      await until(
        async () => await certificateAt(node),
        (name) => name === `CN=${lab.host}`,
      ),
    ).toBeTruthy()
  const volumesOn = async (node: Node) => await node.run('docker', 'volume', 'ls', '--format', '{{.Name}}')
  expect(await volumesOn(second())).toContain('-edge')
  expect(await volumesOn(lab.others[1] ?? second())).not.toContain('-edge')
})

it('a new release loses no request on either server', async () => {
  const stops = [lab.here, second()].map((node) => keepVisiting(async () => await lab.visit('/', node)))
  await site.repository.commit({ files: { 'index.html': 'two' } })
  expect(await lab.deploy(site.id)).toMatchObject({ status: 'success' })
  for (const node of [lab.here, second()]) await answers(node, 'two')
  const [here, there] = await Promise.all(stops.map(async (stop) => await stop()))
  expect([here?.bad, there?.bad]).toEqual([[], []])
  expect(there?.visits).toBeGreaterThan(20)
})

it('an edge that restarts while Berth is down comes up as it was', async () => {
  await until(
    async () => await edgeOf('n2'),
    (edge) => edge?.state === 'current',
  )
  await isSteady()
  await lab.berth.kill9()
  await second().run('docker', 'restart', '-t', '1', (await second().run('docker', 'ps', '-q', '--filter', 'name=-edge$')).trim())
  await answers(second(), 'two')
  expect(await certificateAt(second())).toBe(`CN=${lab.host}`)
})

/** Both edges send visitors to both replicas: they have found those again that they could not reach. */
async function isSteady(): Promise<void> {
  for (const node of [lab.here, second()])
    await until(
      async () => await replicasAt(node),
      (replicas) => replicas.length === 2 && replicas.every((answer) => answer.startsWith('200')),
      60_000,
    )
}

it('apps are reached over the second server while the first one is lost', async () => {
  await lab.here.cut()
  try {
    expect(await lab.visit('/', lab.here, BRIEFLY_MS)).not.toContain('200')
    for (let visits = 0; visits < 20; visits += 1) expect(await lab.visit('/', second())).toBe('200 two')
  } finally {
    await lab.here.mend()
  }
  await isSteady()
})

const visitsAt = (node: Node) => async () => await lab.visit('/', node)

it.each(['', ' again'])('while Berth is down, a server that is lost%s gets no more visitors from any edge within two seconds', async () => {
  await isSteady()
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => await lab.others[1]?.mend())
  const last = await lose(async () => await lab.others[1]?.cut(), [lab.here, second()].map(visitsAt))
  console.log(`the last visitor who had to wait came ${last.join(' and ')} ms after a server was lost`)
  for (const ms of last) {
    expect(ms).toBeGreaterThan(0) // somebody noticed
    expect(ms).toBeLessThan(LOST_WITHIN_MS)
  }
})

const serversNow = async () => await lab.serversOf(site.id)

it('replicas that a loss has left on one server are moved apart without a lost request, and the next loss takes none', {
  tags: 'long',
}, async () => {
  await lab.berth.startAgain()
  await isCurrent(second())
  await isSteady()
  await lab.others[1]?.cut()
  await until(serversNow, (servers) => servers === 'n2,n2')
  const stops = [lab.here, second()].map((node) => keepVisiting(async () => await lab.visit('/', node)))
  await lab.others[1]?.mend()
  await until(serversNow, (servers) => servers === 'n2,n3')
  await isSteady()
  const visited = await Promise.all(stops.map(async (stop) => await stop()))
  expect(visited.map(({ bad }) => bad)).toEqual([[], []])
  const [last = 0] = await lose(async () => await second().cut(), [visitsAt(lab.here)])
  expect(last).toBeLessThan(LOST_WITHIN_MS)
  await second().mend()
  await isSteady()
  await lab.berth.kill9() // as before
})

it('an edge that is switched off leaves no container and no keys', async () => {
  await lab.berth.startAgain()
  await isCurrent(second())
  const { id } = await lab.server('n2')
  await expect(lab.owner.call('servers.update', { serverId: id, availability: 'drain' })).rejects.toThrow('switch its edge off')
  await switchEdge(second(), false)
  expect(await edgeOf('n2')).toEqual({ state: 'off', message: '' })
  const running = async () => await second().run('docker', 'ps', '-a', '--format', '{{.Names}}')
  await until(running, (names) => !/-edge/.test(names), 60_000)
  const volume = (await second().run('docker', 'volume', 'ls', '-q', '--filter', 'name=-edge$')).trim()
  const at = (await second().run('docker', 'volume', 'inspect', '--format', '{{.Mountpoint}}', volume)).trim()
  expect(await second().run('find', at, '-type', 'f')).toBe('')
  expect(await lab.visit('/', second())).toContain('ECONNREFUSED')
})
