import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTransport } from '../../src/engine/api/transport.ts'
import { containerName, labelsOf, projectNetworkName, volumeName } from '../../src/engine/labels.ts'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { ensureRedisImage } from '../../testing/images/database-images.ts'
import { BUSYBOX_IMAGE } from '../../testing/images/test-images.ts'
import { type DeployLab, dockerfile, openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { watchHolders } from '../crash/holders.ts'

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

  it('only deletes its volume on request', async () => {
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

/** Serves its whole file system, and notes each start in its volume; it does not run as root. */
const KEEPER = {
  Dockerfile: dockerfile(
    ["RUN echo 'app:x:1234:1235::/:/bin/sh' >> /etc/passwd", 'USER app'],
    'echo started >> /data/starts; echo no > /shop/greeting.conf; exec httpd -f -p "$PORT" -h /',
  ),
}
const FILE = { path: '/shop/greeting.conf', mode: '0444' }

describe.concurrent('a web app with a volume and a file', () => {
  it('keeps the data over every release, one at a time; the file belongs to the release; the volume is deleted on request alone', async () => {
    const { call } = lab.owner
    const app = await lab.createApp(
      KEEPER,
      { volumes: [{ name: 'uploads', path: '/data' }] },
      { releaseCommand: 'cat /shop/greeting.conf | wc -c; ls -d /data' },
    )
    const appId = app.id
    const starts = async () => (await lab.visit(app, { path: '/data/starts' })).split('\n').length - 1
    const greeting = async () => await lab.visit(app, { path: FILE.path })
    await call('files.save', { appId, ...FILE, content: 'very secret one' })
    const refused = await lab.deploy(appId)
    expect(refused).toMatchObject({ status: 'failed', error_message: expect.stringContaining('/data') }) // a release command has no volumes
    expect(await lab.log(refused.id)).toMatch(/runs without the volumes[^]*\n15\n/)
    await call('apps.update', { appId, releaseCommand: '' })
    const first = await lab.deploy(appId)
    expect(first).toMatchObject({ status: 'success', error_message: '' })
    expect([await greeting(), await starts()]).toEqual(['very secret one', 1])

    const holders = watchHolders(lab, appId)
    await call('files.save', { appId, ...FILE, content: 'very secret two' })
    await call('files.save', { appId, path: '/shop/key', mode: '0400', content: 'for root' })
    const second = await lab.deploy(appId)
    expect([await greeting(), await starts()]).toEqual(['very secret two', 2])
    const [container] = await lab.containersOf(appId)
    const { output } = await lab.engine.exec(
      container?.id ?? '',
      ['stat', '-c', '%a %u %g', FILE.path, '/shop/key', '/data'],
      AbortSignal.timeout(10_000),
    )
    expect(output.trim().split('\n')).toEqual(['444 0 0', '400 0 0', '755 1234 1235'])
    const transport = createTransport({ address: { socketPath: engineSocketPath() } })
    const image = encodeURIComponent(container?.image ?? '')
    const paths = [`/containers/${container?.id}/json`, `/images/${image}/json`, `/images/${image}/history`]
    const told = JSON.stringify(await Promise.all(paths.map(async (path) => await transport.json({ method: 'GET', path }))))
    expect(told).toContain('-volume-uploads')
    expect(`${told}${await lab.log(first.id)}${await lab.log(second.id)}`).not.toContain('very secret')
    const changes = await call('deployments.compare', { deploymentId: first.id, withId: second.id })
    expect(changes.settings.map(({ name }) => name)).toEqual(['Files'])

    await app.repository.commit({ files: { Dockerfile: dockerfile([], 'exit 4') } })
    expect((await lab.deploy(appId)).status).toBe('failed')
    expect(await until(starts, (count) => count === 3)).toBe(3) // what ran before was started again
    const { id } = await call('deployments.rollback', { deploymentId: first.id })
    expect((await lab.ended(id)).status).toBe('success')
    await call('containers.restart', { appId })
    expect([await greeting(), await until(starts, (count) => count === 5)]).toEqual(['very secret one', 5])
    expect({ wrong: holders.wrong(), isWatched: holders.starts() >= 4 }).toEqual({ wrong: [], isWatched: true })
    await holders.stop()

    const volume = 'uploads'
    await expect(call('volumes.delete', { appId, volume })).rejects.toMatchObject({ code: 'volume_in_use' })
    await call('apps.update', { appId, volumes: [] })
    await expect(call('volumes.delete', { appId, volume })).rejects.toMatchObject({ code: 'volume_in_use' }) // by the live release
    await app.repository.commit({ files: webFiles('without') })
    expect((await lab.deploy(appId)).status).toBe('success')
    expect(await call('apps.storage', { appId })).toMatchObject({ volumes: [{ volume, bytes: expect.any(Number) }] })
    await call('volumes.delete', { appId, volume })
    await removed(appId)
    expect((await lab.belongings()).filter((thing) => thing.startsWith('volume') && thing.includes(`-app-${appId}-`))).toEqual([])
    await expect(call('volumes.delete', { appId, volume })).rejects.toMatchObject({ code: 'volume_not_found' })
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
  it('runs its services together, is replaced by the next commit, and is deleted completely', async () => {
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
    expect(Number(first?.split('.')[3])).toBeGreaterThanOrEqual(128) // an address we assigned, which is not reused as soon as it is free
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

  it('has files and folders of its commit, its secrets and variables, and goes back to those of an earlier one', async () => {
    const filesOf = (version: string) => ({
      'compose.yaml': `
services:
  web:
    image: ${BUSYBOX_IMAGE}
    container_name: front
    command: sh -c 'wget -q -O /www/other http://back:9000/said; exec httpd -f -p 8080 -h /www'
    env_file: settings.env
    ports: ["80:8080"]
    volumes: ["./page.html:/www/index.html:ro", "./site:/www/site:ro"]
    secrets: [key]
    configs: [{ source: motd, target: /www/motd }]
    depends_on: { store: { condition: service_healthy } }
  store:
    image: ${BUSYBOX_IMAGE}
    container_name: back
    command: [httpd, -f, -p, "9000", -h, /data]
    volumes: ["./seed:/data", "./nothing:/empty"]
    healthcheck: { test: wget -q -O- http://localhost:9000/said, interval: 1s, retries: 20 }
secrets: { key: { file: ./key.txt } }
configs: { motd: { content: "hello $\{WHO:-nobody}" } }
`,
      'settings.env': `GREETING="of ${version}"\n`,
      'page.html': `page ${version}`,
      'site/a.html': `a ${version}`,
      'seed/said': `seed ${version}`,
      'key.txt': `key ${version}`,
    })
    const app = await lab.createApp(filesOf('v1'), { appType: 'compose' })
    const idOf = async (service: string) => (await lab.containersOf(app.id)).find(({ owner }) => owner.service === service)?.id ?? ''
    const run = async (service: string, line: string) =>
      (await lab.engine.exec(await idOf(service), ['sh', '-c', line], AbortSignal.timeout(20_000))).output.trim()
    const seen = async () => [
      await run('web', 'cd /www; cat index.html other motd site/*; ls site'),
      await run('web', 'cat /run/secrets/key; echo $GREETING; touch /www/site/x 2>&1 || true'),
    ]
    const first = await lab.deploy(app.id)
    expect(first).toMatchObject({ status: 'success', error_message: '' })
    const before = await seen()
    expect(before[0]?.replaceAll('\n', ' ')).toBe('page v1seed v1hello nobodya v1a.html')
    expect(before[1]).toMatch(/^key v1of v1\s+touch: .*Read-only file system/)
    const log = await lab.owner.call('deployments.log', { deploymentId: first.id })
    for (const line of ['port 80 is not opened on the server', 'seed becomes a volume, filled from the commit the first time'])
      expect(log).toContain(line)
    await run('store', 'echo changed > /data/said')
    await app.repository.commit({ files: filesOf('v2') })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    const after = await seen()
    expect(after[0]?.replaceAll('\n', ' ')).toBe('page v2changed hello nobodya v2a.html')
    expect(after[1]).toContain('key v2of v2')
    const { id } = await lab.owner.call('deployments.rollback', { deploymentId: first.id })
    expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
    expect((await seen())[0]?.replaceAll('\n', ' ')).toBe('page v1changed hello nobodya v1a.html')
  })

  it('that asks for what no app may have is refused by the name of the key, and nothing is started', async () => {
    const app = await lab.createApp({ ...COMPOSE_FILES, 'compose.yaml': compose('./web', ',"privileged":true') }, { appType: 'compose' })
    const last = await lab.deploy(app.id)
    expect(last.status).toBe('failed')
    expect(last.error_message).toContain('privileged')
    expect(await lab.containersOf(app.id)).toEqual([])
  })
})
