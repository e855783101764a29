import { readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { totalmem } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openAgentLab } from '../../testing/labs/agent-lab.ts'
import { dockerfile, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { keepVisiting } from '../../testing/labs/placed-lab.ts'
import { problemsOf } from '../../testing/labs/servers-lab.ts'
import { type Lab, lab } from './shared-lab.ts'
import { swarmReachedFrom } from './swarm-packets.ts'
// before what is below, which ends by losing the servers
import './placed-data.ts'

const TALKS = dockerfile(['COPY index.html /www/index.html'], 'echo "it began"; exec httpd -f -p "$PORT" -h /www')

/** It was connected, and got no answer. */
const REFUSED = /curl: \((52|56)\)/

let site: Awaited<ReturnType<Lab['createApp']>>
let store: Awaited<ReturnType<Lab['createApp']>>

const status = async () => await lab.owner.call('containers.status', { appId: site.id })
/** Of the replicas that run. */
const serversNow = async () =>
  ((await status()).replicas ?? []).filter(({ state }) => state === 'running').map(({ server }) => server ?? 'the first server')
const answers = async (body: string) =>
  await until(
    async () => await lab.visit(),
    (answer) => answer === `200 ${body}`,
    30_000,
  )
const visiting = () => keepVisiting(async () => await lab.visit())

it('an app with a volume stays on the first server, and one without runs on the others', async () => {
  store = await lab.createApp('store', webFiles('kept'))
  await lab.owner.call('apps.update', { appId: store.id, volumes: [{ name: 'data', path: '/data' }] })
  expect(await lab.deploy(store.id)).toMatchObject({ status: 'success' })
  site = await lab.createApp('site', { Dockerfile: TALKS, 'index.html': 'one' })
  await lab.owner.call('domains.create', { appId: site.id, domain: lab.host })
  await lab.owner.call('apps.update', { appId: site.id, replicas: 2 })
  expect(await lab.deploy(site.id)).toMatchObject({ status: 'success', error_message: '' })
  await answers('one')
  expect((await serversNow()).toSorted()).toEqual(['n2', 'n3'])
  expect((await lab.owner.call('containers.status', { appId: store.id })).server).toBeUndefined()
  const { servers, placing } = await lab.owner.call('servers.list')
  expect(servers.map(({ name, runs }) => [name, runs.map(({ appName }) => appName)])).toEqual([
    ['n1', ['store']],
    ['n2', ['site']],
    ['n3', ['site']],
  ])
  expect(placing).toContain('Apps without volumes run on the servers that have passed their check.')
  const begun = async () => (await lab.owner.call('containers.logs', { appId: site.id })).logs.match(/it began/g)
  await expect.poll(begun, { timeout: 30_000 }).toHaveLength(2)
})

it('apps of a project reach each other by name, whichever server they are on', async () => {
  const ask = async (node: Lab['here'] | undefined, appId: number, url: string) => {
    const name = await node?.run('docker', 'ps', '--filter', `name=-app-${appId}-`, '--format', '{{.Names}}')
    return await node?.run('docker', 'exec', name?.trim() ?? '', 'wget', '-qO-', url)
  }
  expect(await ask(lab.others[0], site.id, 'http://store:8080/')).toBe('kept')
  expect(await ask(lab.here, store.id, 'http://site:8080/')).toBe('one')
})

const containerOf = async (node: Lab['here'], appId: number) =>
  (await node.run('docker', 'ps', '--filter', `name=-app-${appId}-`, '--format', '{{.Names}}')).trim()

/** The address in the project's network over all servers, if a container of the app runs there. */
async function addressOn(node: Lab['here'], appId: number): Promise<string | undefined> {
  const name = (await node.run('docker', 'ps', '--filter', `name=-app-${appId}-`, '--format', '{{.Names}}')).trim()
  if (name === '') return undefined
  const addresses = await node.run('docker', 'inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}', name)
  return addresses.split(' ').find((address) => address.startsWith('10.23'))
}

it('no app reaches an app of another project through this server', async () => {
  const other = await lab.owner.call('projects.create', { name: 'Other' })
  const secret = await lab.createApp('secret', webFiles('not for you'), other.id)
  expect(await lab.deploy(secret.id)).toMatchObject({ status: 'success' })
  const address = (await Promise.all(lab.others.map(async (node) => await addressOn(node, secret.id)))).find((found) => found !== undefined)
  expect(address).toMatch(/^10\.23/)
  const from = async (node: Lab['here'] | undefined, appId: number) => {
    const name = await node?.run('docker', 'ps', '--filter', `name=-app-${appId}-`, '--format', '{{.Names}}')
    return await node?.run('docker', 'exec', name?.trim() ?? '', 'wget', '-T', '3', '-qO-', `http://${address}:8080/`)
  }
  expect(await lab.here.run('curl', '-s', `http://${address}:8080/`)).toBe('not for you') // as the edge does
  await expect(from(lab.here, store.id)).rejects.toThrow('Command failed')
  await expect(from(lab.others[0], site.id)).rejects.toThrow('Command failed')
  await lab.owner.call('apps.delete', { appId: secret.id })
})

it('no app reaches the images of others, on any server', async () => {
  const { address } = lab.here
  const connect = async (node: Lab['here'] | undefined, appId: number, port: string) => {
    const name = await node?.run('docker', 'ps', '--filter', `name=-app-${appId}-`, '--format', '{{.Names}}')
    return await node?.run('docker', 'exec', name?.trim() ?? '', 'nc', '-w', '3', address, port)
  }
  expect(await lab.here.run('curl', '-sk', '-o', '/dev/null', '-w', '%{http_code}', `https://${address}:5443/v2/`)).toBe('401')
  for (const [node, appId] of [
    [lab.here, store.id],
    [lab.others[0], site.id],
  ] as const) {
    expect(await connect(node, appId, '80')).toBe('') // the edge
    await expect(connect(node, appId, '5443')).rejects.toThrow('Command failed')
  }
})

it('no container reaches what the engines of the servers say to each other, whose networks it could enter that way', async () => {
  const all = [lab.here, ...lab.others].map(({ address }) => address)
  const networks = (await lab.here.run('docker', 'network', 'ls', '--filter', 'driver=bridge', '--format', '{{.Name}}')).split('\n')
  const ofProject = networks.find((name) => name.endsWith(`-project-${lab.project.id}`)) ?? ''
  const second = lab.others[0] ?? lab.here
  await lab.here.run('docker', 'network', 'create', '--driver', 'overlay', '--attachable', 'everywhere')
  const places = [
    [lab.here, 'bridge'],
    [lab.here, ofProject],
    [lab.here, 'everywhere'],
    [second, 'everywhere'],
  ] as const
  const reached = await Promise.all([
    ...places.map(async ([node, network]) => await swarmReachedFrom(node, network, all)),
    swarmReachedFrom(second, 'host', [lab.here.address]), // shows what passes
  ])
  await lab.here.run('docker', 'network', 'rm', 'everywhere')
  expect(reached).toEqual(['', '', '', '', expect.stringContaining(`${lab.here.address}:4789/udp`)])
})

it('the CPU and memory of replicas on other servers are known, from agents that nobody but Berth reaches', async () => {
  const usage = async () => await lab.owner.call('containers.usage', { appId: site.id })
  const { memory, cpu } = await until(usage, (found) => found.memoryLimit > 1.5 * totalmem()) // of both
  expect(memory).toBeGreaterThan(100 * 1024)
  expect(memory).toBeLessThan(64 * 1024 * 1024)
  expect(cpu).toBeLessThan(100)

  const { servers } = await lab.owner.call('servers.list')
  expect(servers.filter(({ cpu: load, memory: used }) => load === null || used === null)).toEqual([])

  const [second] = lab.others
  if (!second) throw new Error('there is no second server')
  await using agent = await openAgentLab({ berth: lab.berth, here: lab.here, node: second })
  const idOf = async (name: string) => (await second.run('docker', 'inspect', '--format', '{{.Id}}', name)).trim()
  const app = await containerOf(second, site.id)
  const call = `/containers/${await idOf(app)}/stats?stream=false&one-shot=true`
  expect(await agent.ask('control plane', call)).toMatch(/"memory_stats".* 200$/s)
  expect(await agent.ask('control plane', `/containers/${await idOf(app)}/json`)).toMatch(/does not answer this call.* 403$/)
  expect(await agent.ask('control plane', call, 'POST')).toMatch(/does not answer this call.* 403$/)
  const own = `/containers/${await idOf(agent.name)}/stats?stream=false`
  expect(await agent.ask('control plane', own)).toMatch(/does not belong to an app.* 403$/)
  await expect(agent.ask('stranger', call)).rejects.toThrow(REFUSED)
  await expect(agent.ask('nobody', call)).rejects.toThrow(REFUSED)

  const connect = [agent.address, agent.port]
  await expect(lab.here.run('docker', 'exec', await containerOf(lab.here, store.id), 'nc', '-w', '3', ...connect)).rejects.toThrow('failed')
  await expect(second.run('docker', 'exec', app, 'nc', '-w', '3', ...connect)).rejects.toThrow('failed')
  for (const node of lab.others) await expect(node.run('curl', '-sk', '-m', '3', `https://${connect.join(':')}/`)).rejects.toThrow('failed')
  const hardened = '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.PidsLimit}} {{.HostConfig.Memory}}'
  expect(await agent.look(hardened)).toBe(`true [ALL] 32 ${128 * 1024 * 1024}`)
  expect(await agent.look('{{json .}}')).not.toContain('PRIVATE KEY')
})

it('a server that cannot get images fails its check, which says what to do', async () => {
  const { id: serverId } = await lab.server('n2')
  const certificate = path.join(lab.trusted, 'ca.crt')
  const before = await readFile(certificate, 'utf8')
  await rm(lab.trusted, { recursive: true })
  const { checks, isChecked } = await lab.owner.call('servers.check', { serverId })
  expect(problemsOf({ checks })).toEqual(['images'])
  expect(isChecked).toBe(true) // what runs there stays
  await lab.others[0]?.run('sh', '-c', checks.at(-1)?.toDo.split('run there as root: ')[1] ?? '')
  expect(await readFile(certificate, 'utf8')).toBe(before)
})

it('a container there has the limits and no more rights than one here', async () => {
  const [second] = lab.others
  const name = (await second?.run('docker', 'ps', '--filter', `name=-app-${site.id}-`, '--format', '{{.Names}}'))?.trim() ?? ''
  const [found] = JSON.parse((await second?.run('docker', 'inspect', name)) ?? '[]') as { Config: object; HostConfig: object }[]
  expect(found).toMatchObject({
    Config: { Labels: { 'berth.instance': '', 'berth.app': '' } },
    HostConfig: { PidsLimit: 512, CapDrop: ['CAP_NET_RAW', 'CAP_MKNOD'], Init: true, Privileged: false, LogConfig: { Type: 'json-file' } },
  })
  expect(await second?.run('docker', 'exec', name, 'grep', 'NoNewPrivs', '/proc/self/status')).toMatch(/1$/m)
})

it('a new release, a rollback, a restart and other numbers of replicas lose no request', async () => {
  const stop = visiting()
  await site.repository.commit({ files: { 'index.html': 'two' } })
  expect(await lab.deploy(site.id)).toMatchObject({ status: 'success' })
  await answers('two')
  const [, first] = await lab.owner.call('deployments.list', { appId: site.id })
  const { id } = await lab.owner.call('deployments.rollback', { deploymentId: first?.id ?? 0 })
  await until(
    async () => await lab.owner.call('deployments.get', { id }),
    (seen) => seen.status === 'success',
  )
  await answers('one')
  await lab.owner.call('containers.restart', { appId: site.id })
  for (const replicas of [3, 2]) {
    await lab.owner.call('apps.update', { appId: site.id, replicas })
    await until(serversNow, ({ length }) => length === replicas)
  }
  expect((await stop()).bad).toEqual([])
})

it('an app runs only on servers that its placement allows, and the deployment says so if there is none', async () => {
  const third = (await lab.owner.call('servers.list')).servers.find(({ name }) => name === 'n3')
  await site.repository.commit({ files: { 'index.html': 'one' } })
  await lab.owner.call('servers.update', { serverId: third?.id ?? '', labels: ['fast'] })
  const placed = async (placement: string) => {
    await lab.owner.call('apps.update', { appId: site.id, placement })
    return await lab.deploy(site.id)
  }
  expect(await placed('server:nobody')).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('the server nobody, but no such server takes apps now'),
  })
  await answers('one')
  expect(await placed('label:fast')).toMatchObject({ status: 'success' })
  expect(await serversNow()).toEqual(['n3', 'n3'])
  expect(await placed('')).toMatchObject({ status: 'success' })
  await until(serversNow, (found) => found.toSorted().join() === 'n2,n3')
})

it('a release that fails leaves the live one alone', { tags: 'long' }, async () => {
  await site.repository.commit({ files: { Dockerfile: dockerfile([], 'echo "no way"; exit 3') } })
  const failed = await lab.deploy(site.id)
  expect(failed).toMatchObject({ status: 'failed', error_message: expect.stringMatching(/exited with code 3.*no way/) })
  await answers('one')
  await site.repository.commit({ files: { Dockerfile: dockerfile([], 'tail /dev/zero') } })
  await lab.owner.call('apps.update', { appId: site.id, memoryLimit: 16 })
  const greedy = await lab.deploy(site.id)
  expect(greedy).toMatchObject({ status: 'failed', error_message: expect.stringContaining('ran out of memory') })
  await lab.owner.call('apps.update', { appId: site.id, memoryLimit: null })
})

it('an app is stopped and started', { tags: 'long' }, async () => {
  await lab.owner.call('containers.stop', { appId: site.id })
  expect(await lab.visit()).toMatch(/^503/)
  expect(await status()).toMatchObject({ state: 'exited' })
  await lab.owner.call('containers.start', { appId: site.id })
  await until(serversNow, ({ length }) => length === 2)
  await answers('one')
})

it('a drained server loses its containers and no visitors', async () => {
  const second = await lab.server('n2')
  const stop = visiting()
  await lab.owner.call('servers.update', { serverId: second.id, availability: 'drain' })
  await until(serversNow, (now) => now.length === 2 && now.every((name) => name === 'n3'))
  await lab.owner.call('servers.update', { serverId: second.id, availability: 'active' })
  expect((await stop()).bad).toEqual([])
})

it('a server gets an image after Berth was killed and the copies here were damaged', async () => {
  await lab.owner.call('apps.update', { appId: site.id, replicas: 1 })
  await site.repository.commit({ files: { Dockerfile: TALKS, 'index.html': 'three' } })
  expect(await lab.deploy(site.id)).toMatchObject({ status: 'success' })
  await answers('three')
  const first = (await status()).server ?? ''
  await lab.berth.kill9()
  const blobs = path.join(lab.berth.dataDir, 'images/blobs')
  const all = await readdir(blobs)
  for (const name of all) await truncate(path.join(blobs, name), 100)
  await lab.berth.startAgain()
  const { id: serverId } = await lab.server(first)
  await lab.owner.call('servers.update', { serverId, availability: 'drain' })
  await until(status, ({ state, server }) => state === 'running' && server !== undefined && server !== first)
  await answers('three')
  // written again: what the other server did not have yet
  const sizes = await Promise.all(all.map(async (name) => (await stat(path.join(blobs, name))).size))
  expect(sizes.filter((size) => size !== 100)).not.toEqual([])
  await lab.owner.call('servers.update', { serverId, availability: 'active' })
  await lab.owner.call('apps.update', { appId: site.id, replicas: 2 })
  await until(serversNow, ({ length }) => length === 2)
})

it('with a registry of the operator, the servers pull from there', async () => {
  const { host, publisher } = lab.registry
  const settings = { BERTH_REGISTRY: `${host}/apps`, BERTH_REGISTRY_USERNAME: publisher.name, BERTH_REGISTRY_PASSWORD: publisher.password }
  Object.assign(lab.berth.env, settings)
  await lab.berth.restart()
  expect(await lab.deploy(site.id)).toMatchObject({ status: 'success', error_message: '' })
  await until(serversNow, (found) => found.toSorted().join() === 'n2,n3')
  const images = await lab.here.run('docker', 'service', 'ls', '--format', '{{.Image}}')
  expect(images).toContain(`${host}/apps/`)
  for (const name of Object.keys(settings)) delete lab.berth.env[name]
  await lab.berth.restart()
  await answers('three')
})

it('apps serve while Berth is killed, and it finds them as they were', { tags: 'long' }, async () => {
  const before = await status()
  await lab.berth.kill9()
  await answers('three')
  await lab.berth.startAgain()
  expect((await status()).replicas).toMatchObject((before.replicas ?? []).map(({ id, server }) => ({ id, server })))
  await answers('three')
})

it('what ran on a lost server is started on another one, and visitors reach it', async () => {
  await lab.others[1]?.kill()
  const begun = performance.now()
  await lab.owner.call('containers.usage', { appId: site.id }) // without what the lost one would tell
  expect(performance.now() - begun).toBeLessThan(8000)
  const now = await until(serversNow, (servers) => servers.length === 2 && !servers.includes('n3'))
  expect(now).toEqual(['n2', 'n2'])
  await answers('three')
  const outage = await until(
    async () => (await lab.owner.call('servers.list')).outages.find(({ endedAt }) => endedAt === null),
    (found) => found !== undefined && found.moved === found.containers,
  )
  expect(outage).toMatchObject({ serverName: 'n3', containers: 1 })
})

it('what no other server is left for is started on the first one', { tags: 'long' }, async () => {
  await lab.others[0]?.kill()
  const now = await until(serversNow, (servers) => servers.length === 2 && !servers.includes('n2'))
  expect(now).toEqual(['the first server', 'the first server'])
  await answers('three')
})

it('a deleted app leaves nothing on any server', async () => {
  await lab.owner.call('apps.delete', { appId: site.id })
  const placed = async () => (await lab.engine.swarm.owners()).filter(({ appId }) => appId !== null)
  await expect.poll(placed, { timeout: 30_000 }).toEqual([])
  // the app that stayed here goes on
  expect(await containerOf(lab.here, store.id)).not.toBe('')
})

it('the network of a project over all servers goes half a minute after its last service', { tags: 'long' }, async () => {
  const networks = async () => await lab.here.run('docker', 'network', 'ls', '--filter', 'driver=overlay', '--format', '{{.Name}}')
  await expect.poll(networks, { timeout: 120_000, interval: 2000 }).not.toContain('-project-')
  expect(await containerOf(lab.here, store.id)).not.toBe('')
})

it('without other servers there are no agents, and Swarm can be switched off', async () => {
  const [second, third] = [await lab.server('n2'), await lab.server('n3')]
  await lab.owner.call('servers.remove', { serverId: third.id })
  await lab.owner.call('servers.update', { serverId: second.id, availability: 'drain' })
  const remove = async () => await lab.owner.call('servers.remove', { serverId: second.id }).catch(() => undefined)
  await until(remove, (removed) => removed !== undefined) // when its agent has ended
  expect(await lab.owner.call('servers.turnOff')).toMatchObject({ isSwarm: false })
  expect(await lab.here.run('docker', 'ps', '--format', '{{.Names}}')).not.toMatch(/-gateway|-agent/)
  expect(await lab.here.run('docker', 'network', 'ls', '--format', '{{.Name}}')).not.toMatch(/-gateway|-agents/)
  expect(await lab.here.run('docker', 'network', 'ls', '--quiet', '--filter', 'driver=overlay')).toBe('')
})
