import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../testing/harness/listening.ts'
import { watchVersions } from '../../testing/harness/watch-versions.ts'
import { NODE_IMAGE } from '../../testing/images/node-image.ts'
import { type EdgeLab, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'

let lab: EdgeLab
/** Several of these apps are deployed at a time. */
const limit = { timeout: 180_000 }
const long = { ...limit, tags: ['long'] }

beforeAll(async () => {
  lab = await startEdgeLab({ tuning: { healthDeadlineMs: 6000 } })
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const store = { image: NODE_IMAGE, command: ['node', '-e', 'setInterval(() => {}, 1000)'], volumes: ['data:/data'] }
const servicesOf = async (appId: number) =>
  (await lab.engine.containers.list({ labels: { 'berth.instance': lab.instance, 'berth.app': String(appId) } }))
    .map(({ id, owner, state }) => ({ id, service: owner.service ?? '', state }))
    .toSorted((a, b) => a.service.localeCompare(b.service))

/** What served before goes a moment after its deployment has ended. */
async function runs(appId: number, services: readonly string[]): Promise<void> {
  const found = async () => (await servicesOf(appId)).map(({ service, state }) => `${service} ${state}`).join()
  const wanted = services.map((service) => `${service} running`).join()
  await until(async () => (await found()) === wanted, `${wanted} and nothing else`)
}

/** Whoever knows the name of a built image could use it, so it is said nowhere. */
async function showsNoBuiltImage(appId: number, containerId: string): Promise<void> {
  const built = (await lab.engine.containers.list({ labels: { 'berth.app': String(appId) } })).find(({ id }) => id === containerId)?.image
  expect(built).toMatch(/^berth\//)
  const [last] = await lab.call('deployments.list', { appId })
  const deploymentId = last?.id ?? 0
  const answers = await Promise.all([
    lab.call('stacks.services', { appId }),
    lab.call('stacks.plan', { appId }),
    lab.call('containers.status', { appId }),
    lab.call('deployments.get', { id: deploymentId }),
    lab.call('deployments.log', { deploymentId }),
    lab.call('apps.get', { appId }),
    lab.call('apps.storage', { appId }),
  ])
  expect(JSON.stringify(answers)).not.toContain(built)
}

async function versionAt(host: string): Promise<string> {
  const answer = await visit(lab, { host })
  return answer.status === 200 ? (JSON.parse(answer.text) as { version: string }).version : ''
}

/** Which services ran at the same time, beside web. */
function watchServices(appId: number): () => Promise<string[]> {
  const seen = new Set<string>()
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      const running = (await servicesOf(appId)).filter(({ service, state }) => service !== 'web' && state === 'running')
      seen.add(running.map(({ service }) => service).join())
    }
  })()
  return async () => {
    isOver = true
    await looking
    return [...seen]
  }
}

it.concurrent('a compose app loses no visitor to a deploy, a bad release or a rollback, and its other services go on', limit, async () => {
  const host = 'composed.example.test'
  const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'], depends_on: ['store'] }
  const app = await lab.addApp('composed', { domain: host, compose: { services: { web, store } } })
  const first = await lab.deployWell(app)
  const [before] = await servicesOf(app.id)
  const watch = watchVersions(lab, { host, methods: ['GET', 'POST'] })
  const second = await lab.deployWell(app, { version: '2' })
  expect(await lab.call('deployments.log', { deploymentId: second.id })).toContain('The service web keeps serving')
  expect((await lab.deploy(app, { version: '3', mode: 'never listens' })).status).toBe('failed')
  const back = await lab.call('deployments.rollback', { deploymentId: first.id })
  expect(await lab.finished(back.id)).toMatchObject({ status: 'success', error_message: '' })
  const again = await lab.call('deployments.rollback', { deploymentId: first.id }) // to the address that the live one has
  expect(await lab.finished(again.id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await watch()).toEqual({ versions: ['1', '2'], errors: 0 })
  await runs(app.id, ['store', 'web'])
  expect((await servicesOf(app.id))[0]?.id).toBe(before?.id)
})

it.concurrent(
  'a compose app that has other services than before has those and no more, also after a release that failed',
  long,
  async () => {
    const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'] }
    const app = await lab.addApp('changing', { compose: { services: { web, old: store } } })
    await lab.deployWell(app)
    await app.repository.commit({ files: { 'compose.yaml': JSON.stringify({ services: { web, young: store } }) } })
    expect((await lab.deploy(app, { version: '2', mode: 'never listens' })).status).toBe('failed')
    await runs(app.id, ['old', 'web'])
    await lab.deployWell(app, { version: '3' })
    await runs(app.id, ['web', 'young'])
  },
)

it.concurrent('a compose app never shares a volume between two containers: a renamed service replaces the old one', long, async () => {
  const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'] }
  const app = await lab.addApp('renaming', { compose: { services: { web, first: store } } })
  await lab.deployWell(app)
  await app.repository.commit({ files: { 'compose.yaml': JSON.stringify({ services: { web, second: store } }) } })
  const watching = watchServices(app.id)
  await lab.deployWell(app, { version: '2' })
  expect(await watching()).not.toContain('first,second')
  await runs(app.id, ['second', 'web'])
})

it.concurrent('a compose app whose new web container cannot be started says why, and the one before serves on', limit, async () => {
  const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'] }
  const app = await lab.addApp('nobody', { compose: { services: { web, store } } })
  await lab.deployWell(app)
  const broken = { services: { web: { ...web, user: 'nobody-of-that-name' }, store } }
  await app.repository.commit({ files: { 'compose.yaml': JSON.stringify(broken) } })
  const ended = await lab.deploy(app, { version: '2' })
  expect(ended).toMatchObject({ status: 'failed', error_message: expect.stringContaining('nobody-of-that-name') })
  await runs(app.id, ['store', 'web'])
})

it.concurrent('a compose app whose web service has data of its own is replaced, whoever declared the volume', long, async () => {
  const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'] }
  const named = await lab.addApp('dated', { compose: { services: { web: { ...web, volumes: ['data:/data'] }, store } } })
  const declared = await lab.addApp('declared', { compose: { services: { web, store } } })
  for (const app of [named, declared]) {
    await lab.deployWell(app)
    const second = await lab.deployWell(app, { version: '2', ...(app === declared ? { volume: '/data' } : {}) })
    expect(await lab.call('deployments.log', { deploymentId: second.id })).toContain('Services that changed are replaced one by one')
    await runs(app.id, ['store', 'web'])
  }
})

it.concurrent(
  'a compose app where another service is given the port has its earlier one again after a release that failed',
  long,
  async () => {
    const host = 'handed-over.example.test'
    const serving = { build: '.', environment: { PORT: '3000' } }
    const routed = (name: 'web' | 'api', more: object = {}) => {
      const services = { web: serving, api: serving }
      return { services: { ...services, [name]: { ...serving, expose: ['3000'], ...more } } }
    }
    const app = await lab.addApp('handed over', { domain: host, compose: routed('web') })
    await lab.deployWell(app)
    for (const broken of [routed('api', { user: 'nobody-of-that-name' }), routed('api')]) {
      await app.repository.commit({ files: { 'compose.yaml': JSON.stringify(broken) } })
      expect((await lab.deploy(app, { version: '2', mode: 'never listens' })).status).toBe('failed')
      await runs(app.id, ['api', 'web'])
      await until(async () => (await versionAt(host)) === '1', 'the release before')
    }
    await lab.deployWell(app, { version: '3' })
    await runs(app.id, ['api', 'web'])
    await until(async () => (await versionAt(host)) === '3', 'the release that has the port elsewhere')
  },
)

it.concurrent(
  'a compose app waits for a web service that is started again until its database is there, and for none that dies once it was healthy',
  long,
  async () => {
    const host = 'stumbling.example.test'
    const stumble = "if (!fs.existsSync('/here')) { fs.writeFileSync('/here', ''); process.exit(1) } import('/app/app.mjs')"
    const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'], restart: 'always' }
    const stumbling = { ...web, command: ['node', '-e', stumble] }
    const app = await lab.addApp('stumbling', { domain: host, compose: { services: { web: stumbling } } })
    await lab.deployWell(app)
    await until(async () => (await versionAt(host)) === '1', 'the release that stumbled once')
    await app.repository.commit({ files: { 'compose.yaml': JSON.stringify({ services: { web } }) } })
    const watch = watchVersions(lab, { host })
    const mortal = await lab.deploy(app, { version: '2', diesAfterMs: 400 })
    expect(mortal).toMatchObject({ status: 'failed', error_message: expect.stringContaining('The service "web"') })
    expect((await watch()).errors).toBe(0)
    expect(await versionAt(host)).toBe('1')
  },
)

it.concurrent(
  'a compose app whose web service waits for another to come to its end runs that one first, in each release',
  long,
  async () => {
    const host = 'migrating.example.test'
    const migrate = { image: NODE_IMAGE, command: ['node', '-e', '0'] }
    const depends = { migrate: { condition: 'service_completed_successfully' } }
    const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'], depends_on: depends }
    const app = await lab.addApp('migrating', { domain: host, compose: { services: { web, migrate } } })
    const ranAt = async () => {
      const found = await Promise.all((await servicesOf(app.id)).map(async ({ id }) => await lab.engine.containers.inspect(id)))
      const [first, second, ...more] = found
      expect([first?.state, first?.exitCode, second?.state, more]).toEqual(['exited', 0, 'running', []])
      const [ended, started] = [Date.parse(first?.finishedAt ?? ''), Date.parse(second?.startedAt ?? '')]
      expect(ended).toBeLessThan(started)
      return ended
    }
    await lab.deployWell(app)
    const before = await ranAt()
    await lab.deployWell(app, { version: '2' })
    await until(async () => (await versionAt(host)) === '2', 'the new release')
    expect(await ranAt()).toBeGreaterThan(before)
  },
)

it.concurrent('a service of a compose app is stopped, stays so, and is started again by a person or a new release', long, async () => {
  const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'] }
  const chatty = { ...store, command: ['node', '-e', 'console.log("hello of the store"); setInterval(() => {}, 1000)'], restart: 'always' }
  const app = await lab.addApp('one by one', { domain: 'one-by-one.example.test', compose: { services: { web, store: chatty } } })
  const appId = app.id
  await lab.deployWell(app)
  const seen = async (name: string) => (await lab.call('stacks.services', { appId })).services.find((service) => service.name === name)
  expect(await seen('web')).toMatchObject({
    state: 'running',
    isBuilt: true,
    domains: expect.arrayContaining(['one-by-one.example.test']),
    restarts: 0,
  })
  const running = await seen('store')
  expect(running).toMatchObject({ state: 'running', image: NODE_IMAGE, isBuilt: false, domains: [], volumes: [{ path: '/data' }] })
  expect(running?.memory).toBeGreaterThan(0)
  await showsNoBuiltImage(app.id, (await seen('web'))?.containerId ?? '')

  await lab.call('stacks.stopService', { appId, service: 'store' })
  expect(await seen('store')).toMatchObject({ state: 'stopped', reason: '', cpu: null })
  await lab.engine.containers.startAgain(running?.containerId ?? '') // as an engine does after a restart
  await until(async () => (await seen('store'))?.state === 'stopped', 'the wish of the person')
  await lab.call('containers.restart', { appId })
  await lab.engine.containers.remove((await seen('web'))?.containerId ?? '')
  await until(async () => (await seen('web'))?.state === 'running', 'a repair of the other service')
  expect((await seen('store'))?.state).toBe('stopped')
  await lab.call('stacks.startService', { appId, service: 'store' })
  expect((await seen('store'))?.state).toBe('running')
  await lab.call('stacks.restartService', { appId, service: 'store' })
  await expect(lab.call('stacks.stopService', { appId, service: 'nobody' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('store, web'),
  })

  const page = await lab.call('containers.logPage', { appId, service: 'store' })
  expect(new Set(page.lines.map(({ service, line }) => `${service}: ${line}`))).toEqual(new Set(['store: hello of the store']))
  expect((await lab.call('containers.logs', { appId })).logs).toContain(' store | hello of the store')
  expect((await lab.call('containers.logs', { appId, service: 'store' })).logs).toMatch(/Z hello of the store$/)
  expect(await lab.call('containers.logFile', { appId })).toContain(' store | hello of the store\n')
  await expect(lab.call('containers.logs', { appId, service: 'nobody' })).rejects.toMatchObject({ code: 'container_not_found' })

  await using stream = await lab.berth.connect('app.logs', { cookie: (await lab.berth.owner()).cookie, input: { appId } })
  const printed = () => stream.frames.map(({ data }) => `${String(data['service'])} ${String(data['replica'])}: ${String(data['line'])}`)
  await until(async () => printed().includes('store 1: hello of the store'), 'the last lines of all services')
  await lab.call('stacks.stopService', { appId, service: 'store' })
  const before = printed().length
  await app.repository.commit({
    files: { 'compose.yaml': JSON.stringify({ services: { web, store: { ...chatty, environment: { COLOUR: 'blue' } } } }) },
  })
  await lab.deployWell(app, { version: '2' })
  expect((await seen('store'))?.state).toBe('running')
  await until(async () => printed().slice(before).includes('store 1: hello of the store'), 'the lines of the next release')
  expect((await lab.call('stacks.running', { appId })).changes).toEqual([
    { service: 'store', key: 'environment.COLOUR', before: null, after: 'blue' },
  ])
})

it.concurrent(
  'two services of a compose app have a domain each, and neither loses a visitor to a deploy or a bad release',
  limit,
  async () => {
    const [host, apiHost] = ['front.example.test', 'api.example.test']
    const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'], depends_on: ['store'] }
    const api = { build: '.', environment: { PORT: '9000' }, ports: ['9000:9000'] }
    const app = await lab.addApp('two endpoints', { domain: host, compose: { services: { web, api, store } } })
    const added = await lab.call('domains.create', { appId: app.id, domain: apiHost, service: 'api', port: 9000 })
    expect(added).toMatchObject({ service: 'api', port: 9000 })
    await lab.deployWell(app)
    await until(async () => (await versionAt(apiHost)) === '1' && (await versionAt(host)) === '1', 'both services')
    const before = (await servicesOf(app.id)).find(({ service }) => service === 'store')
    const watches = [host, apiHost].map((each) => watchVersions(lab, { host: each, methods: ['GET', 'POST'] }))
    const second = await lab.deployWell(app, { version: '2' })
    expect(await lab.call('deployments.log', { deploymentId: second.id })).toContain('The service web, api keeps serving')
    expect((await lab.deploy(app, { version: '3', mode: 'never listens' })).status).toBe('failed')
    for (const watch of watches) expect(await watch()).toEqual({ versions: ['1', '2'], errors: 0 })
    await runs(app.id, ['api', 'store', 'web'])
    expect((await servicesOf(app.id)).find(({ service }) => service === 'store')?.id).toBe(before?.id)
    const { services } = await lab.call('stacks.services', { appId: app.id })
    expect(services.find(({ name }) => name === 'api')).toMatchObject({ domains: [apiHost], ports: [] })
    const elsewhere = { appId: app.id, domain: 'other.example.test' }
    await expect(lab.call('domains.create', { ...elsewhere, port: 80 })).rejects.toMatchObject({ code: 'invalid_request' })
  },
)

it.concurrent('replicas of services, with a port of the machine, lose no visitor to a deploy or a bad release', long, async () => {
  const host = 'replicated.example.test'
  const web = { build: '.', environment: { PORT: '3000' }, ports: ['80:3000'], deploy: { replicas: 2 } }
  const app = await lab.addApp('replicated', { domain: host, compose: { services: { web, store: { ...store, scale: 2 } } } })
  const hostPort = await freePort()
  await lab.call('stacks.openPort', { appId: app.id, service: 'web', port: 3000, hostPort })
  await lab.deployWell(app)
  const all = ['store', 'store', 'web', 'web'] as const
  const onTheMachine = async () =>
    await fetch(`http://127.0.0.1:${hostPort}/`).then(
      async (answer) => ((await answer.json()) as { version: string }).version,
      () => '',
    )
  await runs(app.id, all)
  await until(async () => (await onTheMachine()) === '1', 'the port of the machine')
  const before = await servicesOf(app.id)
  const watch = watchVersions(lab, { host, methods: ['GET', 'POST'] })
  const second = await lab.deployWell(app, { version: '2' })
  const log = await lab.call('deployments.log', { deploymentId: second.id })
  expect(log).toContain(`Port ${hostPort}/tcp of the server leads to the new web once the old one has stopped`)
  expect(log).toContain('services.store has 2 replicas that share the same volumes')
  await runs(app.id, all)
  await until(async () => (await onTheMachine()) === '2', 'the port of the machine')
  expect(await lab.deploy(app, { version: '3', mode: 'never listens' })).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('The service "web" (port 3000) is not healthy'),
  })
  expect(await watch()).toEqual({ versions: ['1', '2'], errors: 0 })
  expect(await onTheMachine()).toBe('2')
  await runs(app.id, all)
  expect((await servicesOf(app.id)).filter(({ service }) => service === 'store')).toEqual(
    before.filter(({ service }) => service === 'store'),
  )
  const { services } = await lab.call('stacks.services', { appId: app.id })
  const counted = services.toSorted((a, b) => a.name.localeCompare(b.name))
  expect(counted.map(({ name, replicas, runningReplicas }) => [name, replicas, runningReplicas])).toEqual([
    ['store', 2, 2],
    ['web', 2, 2],
  ])
})

it.concurrent('a restart of a service with replicas restarts one after the other, and loses no visitor', long, async () => {
  const host = 'restarted.example.test'
  const web = { build: '.', environment: { PORT: '3000' }, expose: ['3000'], scale: 2 }
  const app = await lab.addApp('restarted', { domain: host, compose: { services: { web, store: { ...store, scale: 2 } } } })
  await lab.deployWell(app)
  await until(async () => (await versionAt(host)) === '1', 'the app')
  const startsOf = async (name: string) => {
    const own = (await servicesOf(app.id)).filter(({ service }) => service === name)
    return await Promise.all(own.map(async ({ id }) => (await lab.engine.containers.inspect(id))?.startedAt ?? ''))
  }
  const watch = watchVersions(lab, { host, methods: ['GET', 'POST', 'GET', 'POST'] })
  for (const restart of [
    async () => await lab.call('stacks.restartService', { appId: app.id, service: 'web' }),
    async () => await lab.call('containers.restart', { appId: app.id }),
  ]) {
    const before = await startsOf('web')
    await restart()
    const after = await startsOf('web')
    expect([before.length, after.length, after.filter((at) => before.includes(at))]).toEqual([2, 2, []])
  }
  expect(await watch()).toEqual({ versions: ['1'], errors: 0 })
  await runs(app.id, ['store', 'store', 'web', 'web'])
})

it.concurrent('a compose app without a repository is deployed from its own file, and serves', limit, async () => {
  const host = 'pasted.example.test'
  const { id: projectId } = await lab.call('projects.create', { name: 'Pasted' })
  const { id: appId } = await lab.call('apps.create', { projectId, name: 'pasted', appType: 'compose' })
  await lab.call('domains.create', { appId, domain: host })
  const serve = ["require('http').createServer((q, s) => s.end('{", '"version":"$', '{WORD:-pasted}"', "}')).listen(3000)"].join('')
  const fileWith = (more: object) =>
    JSON.stringify({ services: { web: { image: NODE_IMAGE, command: ['node', '-e', serve], ...more }, store } })
  await expect(lab.call('stacks.setFile', { appId, composeFile: fileWith({}) })).rejects.toThrow(
    'none publishes a port, and the app has none',
  )
  await lab.call('stacks.setFile', { appId, composeFile: fileWith({ expose: [3000] }) })
  const { id } = await lab.call('deployments.create', { appId })
  expect(await lab.finished(id)).toMatchObject({ status: 'success', error_message: '' })
  await until(async () => (await versionAt(host)) === 'pasted', 'the app')
  expect((await lab.call('apps.get', { appId })).port).toBe(3000) // as the file says
})
