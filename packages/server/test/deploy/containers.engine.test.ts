import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTransport } from '../../src/engine/api/transport.ts'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { writeToDatabase } from '../../testing/harness/write-to-database.ts'
import { type DeployLab, dockerfile, openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab({ tuning: { healthDeadlineMs: 20_000 } })
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const SLOW_BUILD = () => webFiles('slow', [`RUN echo ${Date.now()}${Math.random()}; sleep 25`])
const SLOW_START = { Dockerfile: dockerfile([], 'sleep 25; exec httpd -f -p "$PORT" -h /www') }
const left = async (appId: number) =>
  (await lab.belongings()).filter((thing) => thing.includes(`-app-${appId}-`) || thing.includes(`/app-${appId}:`))

/** As the engine enforces them; 0 for none. */
async function limitsOf(appId: number, process: string | null): Promise<{ cores: number; megabytes: number }> {
  const { id = '' } = (await lab.containersOf(appId)).find(({ owner }) => owner.service === process) ?? {}
  const transport = createTransport({ address: { socketPath: engineSocketPath() } })
  const { HostConfig: given } = (await transport.json({ method: 'GET', path: `/containers/${id}/json` })) as {
    HostConfig: { NanoCpus: number; Memory: number } // as the engine documents it
  }
  return { cores: given.NanoCpus / 1e9, megabytes: given.Memory / 1024 / 1024 }
}

describe.concurrent('the container of an app', () => {
  it('stops, starts and restarts on demand, and says how it is', async () => {
    const app = await lab.createApp(webFiles('hello'))
    const call = { appId: app.id }
    expect(await lab.owner.call('containers.status', call)).toEqual({ state: 'not_deployed', status: 'No container yet', id: '' })
    expect((await lab.owner.call('containers.logs', call)).logs).toBe('')
    await lab.deploy(app.id)
    expect((await lab.owner.call('containers.status', call)).state).toBe('running')
    await lab.owner.call('containers.stop', call)
    expect((await lab.owner.call('containers.status', call)).state).toBe('exited')
    expect(await lab.owner.call('apps.get', call)).toMatchObject({ status: 'stopped', is_deployed: true })
    await lab.owner.call('containers.start', call)
    expect(await lab.status(app.id)).toBe('running')
    await lab.owner.call('containers.restart', call)
    await until(
      async () => await lab.visit(app).catch(String),
      (body) => body === 'hello',
    )
  })

  it('may be several that do the same, of which any can be lost, and all are replaced together', async () => {
    const say = 'echo "I am $HOSTNAME"; exec httpd -f -p "$PORT" -h /www'
    const files = (body: string) => ({ ...webFiles(body), Dockerfile: dockerfile(['COPY index.html /www/index.html'], say) })
    const app = await lab.createApp(files('v1'), { replicas: 3 })
    const call = { appId: app.id }
    const replicas = async () => (await lab.containersOf(app.id)).map(({ owner }) => owner.replica).toSorted((a, b) => a - b)
    const areRunning = async (count: number) =>
      await until(
        async () => await lab.owner.call('containers.status', call),
        (found) => found.replicas?.every(({ state }) => state === 'running') === true && found.replicas.length === count,
      )
    const first = await lab.deploy(app.id)
    expect(first).toMatchObject({ status: 'success', error_message: '' })
    expect(await areRunning(3)).toMatchObject({ state: 'running', status: '3 of 3 replicas running' })
    const { lines } = await lab.owner.call('containers.logPage', call)
    expect(
      lines
        .filter(({ line }) => line.startsWith('I am'))
        .map(({ replica }) => replica)
        .toSorted((a, b) => a - b),
    ).toEqual([1, 2, 3])
    expect((await lab.owner.call('containers.logs', call)).logs).toMatch(/Z replica 2 \| I am /)

    await lab.engine.containers.remove((await lab.containersOf(app.id))[0]?.id ?? '')
    await areRunning(3)
    await lab.owner.call('containers.restart', call)
    expect(await replicas()).toEqual([1, 2, 3])
    await lab.owner.call('apps.update', { ...call, replicas: 2 })
    await areRunning(2)

    await app.repository.commit({ files: { Dockerfile: dockerfile([], 'exit 3') } })
    expect((await lab.deploy(app.id)).error_message).toMatch(/^Replica [12]: The container exited with code 3/)
    expect(await replicas()).toEqual([1, 2])
    await app.repository.commit({ files: files('v2') })
    await lab.deploy(app.id)
    await lab.owner.call('apps.update', { ...call, replicas: 3 })
    await areRunning(3)
    const back = await lab.owner.call('deployments.rollback', { deploymentId: first.id })
    expect((await lab.ended(back.id)).status).toBe('success')
    expect([await replicas(), await lab.visit(app)]).toEqual([[1, 2, 3], 'v1']) // a rollback keeps the number
    await lab.owner.call('containers.stop', call)
    expect((await lab.owner.call('containers.status', call)).status).toBe('0 of 3 replicas running')
    await lab.owner.call('containers.start', call)
    await areRunning(3)
  })

  it('may run other processes beside the main one, which move with it and are scaled without a deployment', async () => {
    const work = (what: string) => `worker: echo "working on ${what}"; sleep 600`
    const files = (body: string) => ({ ...webFiles(body), Procfile: `web: httpd\n${work(body)}\n` })
    const app = await lab.createApp(files('v1'))
    const call = { appId: app.id }
    const there = async () =>
      (await lab.containersOf(app.id))
        .filter(({ state }) => state === 'running')
        .map(({ owner }) => `${owner.service ?? 'web'} ${owner.replica}`)
        .toSorted()
    const becomes = async (...wanted: string[]) => await until(there, (found) => found.join() === wanted.join())
    const first = await lab.deploy(app.id)
    expect([first.status, await there()]).toEqual(['success', ['web 1']]) // as the settings say nothing of it

    await lab.owner.call('apps.update', { ...call, processes: [{ name: 'worker', replicas: 2 }] })
    await becomes('web 1', 'worker 1', 'worker 2')
    const { status, processes } = await lab.owner.call('containers.status', call)
    expect(status).toMatch(/^Up/)
    expect(processes).toMatchObject([{ name: 'worker', wanted: 2, status: '2 of 2 running', command: 'echo "working on v1"; sleep 600' }])
    expect((await lab.owner.call('containers.logs', { ...call, service: 'worker' })).logs).toMatch(/Z worker replica 2 \| working on v1/)
    await lab.engine.containers.remove((await lab.containersOf(app.id)).find(({ owner }) => owner.service !== null)?.id ?? '')
    await becomes('web 1', 'worker 1', 'worker 2')

    await app.repository.commit({ files: { ...webFiles('v2'), Procfile: 'web: httpd\nworker: echo bad; exit 4\n' } })
    const failed = await lab.deploy(app.id)
    expect([failed.status, failed.error_message]).toEqual(['failed', expect.stringMatching(/^Process worker(, replica 2)?: .*code 4/)])
    expect([await there(), await lab.visit(app)]).toEqual([['web 1', 'worker 1', 'worker 2'], 'v1'])

    await app.repository.commit({ files: webFiles('v3') })
    const limits = { cpuLimit: 0.5, memoryLimit: 64 }
    const clock = { name: 'clock', command: 'echo tick; sleep 600', ...limits }
    await lab.owner.call('apps.update', { ...call, processes: [clock], memoryLimit: 128, cpuLimit: null })
    await lab.deploy(app.id) // its Procfile still has the process that fails, which is no longer in the settings
    expect([await there(), await lab.visit(app)]).toEqual([['clock 1', 'web 1'], 'v3'])
    expect([await limitsOf(app.id, null), await limitsOf(app.id, 'clock')]).toEqual([
      { cores: 0, megabytes: 128 },
      { cores: 0.5, megabytes: 64 },
    ])
    const back = await lab.owner.call('deployments.rollback', { deploymentId: first.id })
    expect((await lab.ended(back.id)).status).toBe('success')
    expect([await there(), await lab.visit(app)]).toEqual([['web 1'], 'v1'])
    await lab.owner.call('apps.update', { ...call, processes: [{ name: 'worker' }] })
    await becomes('web 1', 'worker 1')

    await lab.owner.call('containers.stop', call)
    expect(await there()).toEqual([])
    await lab.owner.call('containers.start', call)
    await becomes('web 1', 'worker 1')
    await lab.owner.call('apps.delete', call)
    await until(
      async () => (await lab.containersOf(app.id)).length,
      (count) => count === 0,
    )
  })

  it('is not started, stopped or restarted from outside while a deployment replaces it', async () => {
    const app = await lab.createApp(webFiles('the only one'), {}, { deploymentStrategy: 'recreate' })
    const call = { appId: app.id }
    await lab.deploy(app.id)
    const [old] = await lab.containersOf(app.id)
    await app.repository.commit({ files: SLOW_BUILD() })
    const building = await lab.add(app.id)
    await lab.reaches(building, 'building_image')
    await expect(lab.owner.call('containers.stop', call)).rejects.toMatchObject({ code: 'deployment_under_way' })
    await lab.owner.call('containers.restart', call) // it serves until its successor is built
    await lab.owner.call('deployments.stop', { deploymentId: building })
    await lab.ended(building)
    await app.repository.commit({ files: SLOW_START })
    const starting = await lab.add(app.id)
    await lab.reaches(starting, 'starting_new')
    for (const verb of ['containers.start', 'containers.stop', 'containers.restart'] as const)
      await expect(lab.owner.call(verb, call)).rejects.toMatchObject({ code: 'deployment_under_way' })
    expect((await lab.engine.containers.inspect(old?.id ?? ''))?.state).toBe('exited')
    await lab.owner.call('deployments.stop', { deploymentId: starting })
    await lab.ended(starting)
    await lab.owner.call('containers.restart', call)
    expect(await lab.status(app.id)).toBe('running')
  })

  it('is not changed by a repair that was requested before it existed', async () => {
    const app = await lab.createApp(webFiles('here already'))
    await lab.deploy(app.id)
    const [before] = await lab.containersOf(app.id)
    await writeToDatabase(lab.berth.dataDir, (file) => {
      const job = [JSON.stringify({ appId: app.id }), `app:${app.id}`, new Date().toISOString(), new Date().toISOString()]
      file.prepare("insert into job (name, payload, lane, run_at, created_at, attempts) values ('app.restore', ?, ?, ?, ?, 0)").run(...job)
    })
    await until(
      () => lab.rows('select id from job where lane = ?', `app:${app.id}`),
      (jobs) => jobs.length === 0,
    )
    expect((await lab.containersOf(app.id)).map(({ id }) => id)).toEqual([before?.id])
  })

  it('is started again if somebody removes it, without a new deployment', async () => {
    const app = await lab.createApp(webFiles('back again'))
    await lab.deploy(app.id)
    for (const { id } of await lab.containersOf(app.id)) await lab.engine.containers.remove(id)
    await until(
      async () => await lab.visit(app).catch(String),
      (body) => body === 'back again',
      30_000,
    )
    await until(
      async () => await lab.status(app.id),
      (status) => status === 'running',
    )
    expect(await lab.owner.call('deployments.list', { appId: app.id })).toHaveLength(1)
  })

  it('that cannot be started again, because its image was removed too, leaves the app in error with the reason', async () => {
    const app = await lab.createApp(webFiles('gone'))
    await lab.deploy(app.id)
    const [container] = await lab.containersOf(app.id)
    for (const { id } of await lab.containersOf(app.id)) await lab.engine.containers.remove(id)
    await lab.engine.images.remove(container?.image ?? '')
    const seen = await until(
      async () => await lab.app(app.id),
      ({ status }) => status === 'error',
    )
    expect(seen.status_reason).toMatch(/The container engine refused: .*No such image/)
  })

  it('is heard by the members of its project alone, and by them only as long as they are', async () => {
    const [member, stranger] = [await lab.berth.as('listener'), await lab.berth.as('stranger')]
    const project = await lab.owner.call('projects.create', { name: 'Shared' })
    await lab.owner.call('projects.members', { id: project.id, userIds: [member.id] })
    const files = { Dockerfile: dockerfile([], 'while true; do echo still here; sleep 1; done') }
    const app = await lab.createAppIn(project.id, files, { change: { appType: 'service', port: null } })
    await lab.deploy(app.id)
    const containerId = (await lab.containersOf(app.id))[0]?.id ?? ''
    const slow = await lab.createAppIn(project.id, webFiles('slow', [`RUN sleep 30; echo ${Math.random()}`]))
    const deploymentId = await lab.add(slow.id)

    await using refused = await lab.berth.connect('container.logs', { cookie: stranger.cookie, input: { containerId } })
    expect(refused.status).toBe(404)
    await using log = await lab.berth.connect('container.logs', { cookie: member.cookie, input: { containerId } })
    await using deployment = await lab.berth.connect('deployment.stream', { cookie: member.cookie, input: { deploymentId } })
    await log.waitFor(({ data }) => String(data['line']).includes('still here'))
    await deployment.waitFor(({ type }) => type === 'status')
    await lab.owner.call('projects.members', { id: project.id, userIds: [] })
    expect(await Promise.all([log.closed, deployment.closed])).toEqual([1008, 1008])
    await lab.owner.call('deployments.stop', { deploymentId })
    await lab.ended(deploymentId)
  })

  it('stays stopped, even if somebody starts it outside Berth', async () => {
    const app = await lab.createApp(webFiles('resting'))
    await lab.deploy(app.id)
    await lab.owner.call('containers.stop', { appId: app.id })
    const [container] = await lab.containersOf(app.id)
    await lab.engine.containers.startAgain(container?.id ?? '')
    await until(
      async () => await lab.containersOf(app.id),
      ([seen]) => seen?.state === 'exited',
    )
    expect(await lab.status(app.id)).toBe('stopped')
  })

  it('leaves its exit code and last words on the app when it crashes', async () => {
    const files = { Dockerfile: dockerfile([], 'httpd -p "$PORT" -h /www; sleep 4; echo out of ideas; exit 42') }
    const app = await lab.createApp(files, {}, { restartPolicy: 'no' })
    expect((await lab.deploy(app.id)).status).toBe('success')
    const crashed = await until(
      async () => await lab.app(app.id),
      ({ status }) => status === 'error',
    )
    expect(crashed.status_reason).toBe('The container exited with code 42. Last output: out of ideas')
  })
})

describe.concurrent('a deployment that is cancelled', () => {
  it('in the queue never begins, and its log says so', async () => {
    const app = await lab.createApp(SLOW_BUILD())
    const [running, waiting] = [await lab.add(app.id), await lab.add(app.id)]
    await lab.reaches(running, 'building_image')
    expect(await lab.owner.call('deployments.stop', { deploymentId: waiting })).toMatchObject({ status: 'stopped', started_at: null })
    expect(await lab.log(waiting)).toBe('Cancelled\n')
    expect((await lab.get(running)).status).toBe('building') // and nothing else is
    await lab.owner.call('deployments.stop', { deploymentId: running })
    await lab.ended(running, 10_000) // the build is gone within seconds
    expect((await lab.log(running)).endsWith('Cancelled\n')).toBe(true)
    await expect(lab.owner.call('deployments.stop', { deploymentId: running })).rejects.toMatchObject({ code: 'deployment_ended' })
    expect(await lab.status(app.id)).toBe('stopped')
    expect(await left(app.id)).toEqual([])
  })

  it('while the new release starts leaves the old one as it was', async () => {
    const app = await lab.createApp(webFiles('the old one'))
    await lab.deploy(app.id)
    await app.repository.commit({ files: SLOW_START })
    const id = await lab.add(app.id)
    await lab.reaches(id, 'starting_new')
    await lab.owner.call('deployments.stop', { deploymentId: id })
    expect((await lab.ended(id, 15_000)).status).toBe('stopped')
    expect(await lab.visit(app)).toBe('the old one')
    expect(await lab.status(app.id)).toBe('running')
    expect(await lab.containersOf(app.id)).toHaveLength(1)
  })
})

describe.concurrent('an app that is deleted', () => {
  const moments = [
    ['cloning_repo', SLOW_BUILD()],
    ['building_image', SLOW_BUILD()],
    ['starting_new', SLOW_START],
    ['completed', webFiles('done')],
  ] as const
  for (const [stage, files] of moments) {
    it(`at ${stage} leaves nothing behind, and does not come back`, async () => {
      const project = await lab.owner.call('projects.create', { name: `Doomed at ${stage}` })
      const app = await lab.createAppIn(project.id, files)
      const id = await lab.add(app.id)
      await lab.reaches(id, stage)
      if (stage === 'building_image') await lab.owner.call('projects.delete', { id: project.id })
      else await lab.owner.call('apps.delete', { appId: app.id })
      const things = async () => (await lab.belongings()).filter((thing) => thing.includes(`d${id}.log`) || thing === `workspace d${id}`)
      await until(
        async () => [...(await left(app.id)), ...(await things())],
        (list) => list.length === 0,
      )
      await until(
        () => lab.rows('select id from job where lane = ?', `app:${app.id}`),
        (jobs) => jobs.length === 0,
      )
      if (stage === 'building_image') await until(lab.belongings, (all) => !all.some((thing) => thing.endsWith(`-project-${project.id}`)))
      expect([...(await left(app.id)), ...(await things())]).toEqual([])
      expect(lab.rows('select id from deployment where app_id = ?', app.id)).toEqual([])
    })
  }
})
