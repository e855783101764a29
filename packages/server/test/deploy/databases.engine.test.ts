import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { containerName, labelsOf, projectNetworkName, volumeName } from '../../src/engine/labels.ts'
import { ensureRedisImage } from '../../testing/images/database-images.ts'
import { type DeployLab, dockerfile, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
  await ensureRedisImage(lab.engine)
})
afterAll(async () => await lab[Symbol.asyncDispose]())

async function redis(appId: number, command: string): Promise<string> {
  const container = (await lab.containersOf(appId)).find(({ state }) => state === 'running')
  const line = `REDISCLI_AUTH="$REDIS_PASSWORD" redis-cli ${command}`
  return (await lab.engine.exec(container?.id ?? '', ['sh', '-c', line], AbortSignal.timeout(10_000))).output.trim()
}

const removed = async (appId: number) =>
  await until(
    () => lab.rows('select id from job where lane = ?', `app:${appId}`),
    (jobs) => jobs.length === 0,
  )

describe.concurrent('a database from a template', () => {
  it('keeps its data through a redeploy, a rollback and a restart, and until it is deleted with its volumes', async () => {
    const app = await lab.owner.call('apps.create', {
      name: 'store',
      projectId: lab.project.id,
      appType: 'database',
      templateName: 'redis',
    })
    const first = await lab.deploy(app.id)
    expect(first).toMatchObject({ status: 'success', error_message: '' })
    expect(await redis(app.id, 'set ship berthed')).toBe('OK')
    expect((await lab.deploy(app.id)).status).toBe('success')
    expect(await redis(app.id, 'get ship')).toBe('berthed')
    const { id } = await lab.owner.call('deployments.rollback', { deploymentId: first.id })
    expect((await lab.ended(id)).status).toBe('success')
    expect(await redis(app.id, 'get ship')).toBe('berthed')
    await lab.owner.call('containers.restart', { appId: app.id })
    expect(await redis(app.id, 'get ship')).toBe('berthed')
    const volume = `volume ${volumeName(lab.instance, app.id)}`
    await lab.owner.call('apps.delete', { appId: app.id })
    await removed(app.id)
    expect(await lab.belongings()).toContain(volume)
  })

  it('takes its volume along only when that is asked for', async () => {
    const app = await lab.owner.call('apps.create', {
      name: 'cache',
      projectId: lab.project.id,
      appType: 'database',
      templateName: 'redis',
    })
    await lab.deploy(app.id)
    await lab.owner.call('apps.delete', { appId: app.id, deleteVolumes: true })
    await removed(app.id)
    expect((await lab.belongings()).filter((thing) => thing.includes(`-app-${app.id}-`))).toEqual([])
  })
})

const compose = (web: string, more = '') =>
  JSON.stringify({ services: { web: { build: './web', expose: ['8080'] }, worker: { build: './worker' } } }).replace(
    '"./web"',
    `"${web}"${more}`,
  )
const COMPOSE_FILES = {
  'compose.yaml': compose('./web'),
  'web/Dockerfile': dockerfile(['COPY index.html /www/index.html'], 'exec httpd -f -p 8080 -h /www'),
  'web/index.html': 'composed',
  'worker/Dockerfile': dockerfile([], 'while true; do echo working; sleep 1; done'),
}

describe.concurrent('a compose app', () => {
  it('runs its services together, is replaced by the next commit, and goes whole', async () => {
    const app = await lab.createApp(COMPOSE_FILES, { appType: 'compose' })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect((await lab.containersOf(app.id)).map(({ state }) => state)).toEqual(['running', 'running'])
    const address = async () => {
      const found = (await lab.containersOf(app.id)).find(({ owner }) => owner.service === 'web')
      return Object.entries(found?.ips ?? {}).find(([network]) => network.includes('-project-'))?.[1]
    }
    const web = async () => await (await fetch(`http://${await address()}:8080/`, { signal: AbortSignal.timeout(5000) })).text()
    expect(await web()).toBe('composed')
    const first = await address()
    expect(Number(first?.split('.')[3])).toBeGreaterThanOrEqual(128) // one of ours, which no other app gets as soon as it is free
    await app.repository.commit({ files: { 'web/index.html': 'composed again' } })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await web()).toBe('composed again')
    expect(await address()).not.toBe(first)
    expect(await lab.containersOf(app.id)).toHaveLength(2)
    await lab.owner.call('apps.delete', { appId: app.id })
    await removed(app.id)
    expect((await lab.belongings()).filter((thing) => thing.includes(`app-${app.id}-`))).toEqual([])
  })

  it('gets another address where somebody takes the one of its turn before it starts', async () => {
    const waiting = { healthcheck: { test: ['CMD', 'sleep', '1'], interval: '1s', timeout: '5s' }, build: './worker' }
    const services = {
      web: { build: './web', expose: ['8080'], depends_on: { worker: { condition: 'service_healthy' } } },
      worker: waiting,
    }
    const app = await lab.createApp({ ...COMPOSE_FILES, 'compose.yaml': JSON.stringify({ services }) }, { appType: 'compose' })
    const { id } = await lab.owner.call('deployments.add', { appId: app.id })
    await until(
      async () => (await lab.containersOf(app.id)).filter(({ state }) => state === 'running'),
      (running) => running.length === 1,
    )
    const [worker] = await lab.containersOf(app.id)
    const network = projectNetworkName(lab.instance, lab.project.id)
    const taker = await lab.engine.containers.start({
      name: containerName('other', app.id, id),
      image: worker?.image ?? '',
      labels: labelsOf({ instance: 'other', kind: 'app', appId: app.id + 1 }), // its image brings those of this app
      env: {},
      network,
      turn: id,
      aliases: [],
      volumes: [],
      restart: 'no',
    })
    try {
      expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
      const taken = (await lab.engine.containers.inspect(taker))?.ips[network]
      const web = (await lab.containersOf(app.id)).find(({ owner }) => owner.service === 'web')
      expect(Number(web?.ips[network]?.split('.')[3])).toBeGreaterThanOrEqual(128)
      expect(web?.ips[network]).not.toBe(taken)
    } finally {
      await lab.engine.containers.remove(taker)
    }
  })

  it('that asks for what no app may have is refused by the name of the key, and nothing is started', async () => {
    const app = await lab.createApp({ ...COMPOSE_FILES, 'compose.yaml': compose('./web', ',"privileged":true') }, { appType: 'compose' })
    const last = await lab.deploy(app.id)
    expect(last.status).toBe('failed')
    expect(last.error_message).toContain('privileged')
    expect(await lab.containersOf(app.id)).toEqual([])
  })
})
