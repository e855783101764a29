import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeployLab, dockerfile, openDeployLab, webFiles } from '../../testing/labs/deploy-lab.ts'
import { socketText } from '../crash/crash-sweep.ts'

let lab: DeployLab
beforeAll(async () => {
  lab = await openDeployLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const SHOWS_ENV = { Dockerfile: dockerfile([], 'echo "$COLOUR" > /www/index.html; exec httpd -f -p "$PORT" -h /www') }

describe.concurrent('a web app from git', () => {
  it('is built, started and made live; the next commit takes its place; a rollback brings it back without a build', async () => {
    const app = await lab.createApp(SHOWS_ENV, { envVars: { COLOUR: 'green' } })
    const first = await lab.deploy(app.id)
    expect(first).toMatchObject({ status: 'success', stage: 'completed', progress: 100, is_active: true, deployment_number: 1 })
    expect(first.commit_hash).toBe(app.repository.hash)
    expect(await lab.visit(app)).toBe('green\n')
    expect(await lab.status(app.id)).toBe('running')
    expect(first.steps?.map(({ name, seconds }) => [name, seconds !== null])).toEqual(
      ['source', 'build', 'start', 'health', 'switch'].map((name) => [name, true]),
    )
    expect(await lab.log(first.id)).not.toMatch(/live release|serves now|new one/) // there is none yet

    const hash = await app.repository.commit({ files: webFiles('second') })
    await lab.owner.call('envs.replace', { appId: app.id, variables: [{ key: 'COLOUR', value: 'red' }] })
    const second = await lab.deploy(app.id)
    expect(second).toMatchObject({ status: 'success', commit_hash: hash, commit_message: 'A change', is_active: true })
    expect(await lab.visit(app)).toBe('second')
    expect(await lab.containersOf(app.id)).toHaveLength(1)
    expect(await lab.log(second.id)).toContain('keeps serving')
    const changes = await lab.owner.call('deployments.compare', { deploymentId: first.id, withId: second.id })
    expect(changes).toEqual({ settings: [], environment: [{ key: 'COLOUR', is: 'changed' }], notKept: [] })

    const { id } = await lab.owner.call('deployments.rollback', { deploymentId: first.id })
    const back = await lab.ended(id)
    expect(back).toMatchObject({ status: 'success', rolled_back_from: second.id, commit_hash: first.commit_hash, is_active: true })
    expect(await lab.visit(app)).toBe('green\n') // with the environment of that release
    expect(await lab.log(id)).not.toMatch(/Cloning|Building/)
    expect(back.steps?.map(({ name }) => name)).toEqual(['start', 'health', 'switch'])
    expect(await lab.get(second.id)).toMatchObject({ status: 'rolled_back', is_active: false })
  })

  it('is told in stages, in order, with progress that never goes down; REST and the socket have the same lines', async () => {
    const app = await lab.createApp(webFiles('streamed', [`RUN for n in 1 2 3; do echo "line $n"; sleep 0.3; done; echo ${Date.now()}`]))
    const id = await lab.add(app.id)
    const input = { deploymentId: id }
    await using socket = await lab.berth.connect('deployment.stream', { cookie: lab.owner.cookie, input })
    await using other = await lab.berth.connect('deployment.streamById', { cookie: lab.owner.cookie, input })
    expect(await socket.closed).toBe(1000)
    expect(await other.closed).toBe(1000)
    expect([...socket.problems, ...other.problems]).toEqual([])

    const states = socket.frames.filter(({ type }) => type === 'status').map(({ data }) => data)
    const stages = states.map(({ stage }) => stage).filter((stage, index, all) => stage !== '' && stage !== all[index - 1])
    const documented = ['cloning_repo', 'building_image', 'stopping_old', 'starting_new', 'completed']
    expect(stages).toEqual(documented.filter((stage) => stages.includes(stage)))
    expect(stages.at(-1)).toBe('completed')
    const progress = states.map((state) => Number(state['progress']))
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(socket.frames[0]?.type).toBe('status')
    expect(socket.frames.at(-1)?.data).toMatchObject({ status: 'success', progress: 100 })

    const lines = socket.frames.filter(({ type }) => type === 'log').map(({ data }) => data)
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, index) => index + 1))
    const rest = await lab.log(id)
    expect(lines.map(({ line }) => `${String(line)}\n`).join('')).toBe(rest)
    expect(rest).toContain('line 3')
    expect(rest.endsWith('Deployed successfully\n')).toBe(true)

    expect(await socketText(lab, id)).toBe(rest) // a late follower gets everything
    await using resumed = await lab.berth.connect('deployment.stream', { cookie: lab.owner.cookie, input: { ...input, from: 5 } })
    await resumed.closed
    expect(resumed.frames.filter(({ type }) => type === 'log').map(({ data }) => data)).toEqual(lines.slice(5))
  })

  it('is built from the commit that was newest when it was requested, even if the branch has moved since', async () => {
    const app = await lab.createApp(webFiles('pinned'))
    await app.repository.commit({ files: { note: 'slow down' } })
    const hash = (await app.repository.git(['rev-parse', 'main'])).trim()
    const id = await lab.add(app.id)
    await app.repository.commit({ files: webFiles('moved on') })
    expect(await lab.ended(id)).toMatchObject({ status: 'success', commit_hash: hash })
    expect(await lab.visit(app)).toBe('pinned')
  })

  it('may be in a directory in the repository, with a Dockerfile of another name', async () => {
    const files = { 'site/build/App.dockerfile': webFiles('')['Dockerfile'] ?? '', 'site/index.html': 'from a directory' }
    const app = await lab.createApp(files, {}, { rootDirectory: 'site', dockerfilePath: 'build/App.dockerfile' })
    expect(await lab.deploy(app.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.visit(app)).toBe('from a directory')
  })

  it('is refused when a file of it is a link out of the repository', async () => {
    const outside = await lab.createApp({ Dockerfile: { link: '/etc/hostname' } })
    expect((await lab.deploy(outside.id)).error_message).toMatch(/"(Dockerfile|away)" is a link that points outside the repository/)
  })

  it('is a worker when it has no port: it is live once it has stayed up', async () => {
    const worker = await lab.createApp(
      { Dockerfile: dockerfile([], 'while true; do echo at work; sleep 1; done') },
      { appType: 'service', port: null },
    )
    expect(await lab.deploy(worker.id)).toMatchObject({ status: 'success', error_message: '' })
    expect(await lab.status(worker.id)).toBe('running')
    expect((await lab.owner.call('containers.logs', { appId: worker.id })).logs).toContain('at work')
  })
})

it('deploys one app one at a time and in order, however many are asked for at once', { tags: 'long' }, async () => {
  const app = await lab.createApp(webFiles('one of ten'))
  let most = 0
  let isDone = false
  const watch = (async () => {
    while (!isDone) {
      most = Math.max(most, (await lab.containersOf(app.id)).filter(({ state }) => state === 'running').length)
      await sleep(200)
    }
  })()
  const ids = await Promise.all(Array.from({ length: 10 }, async () => await lab.add(app.id)))
  const all = await Promise.all(ids.map(async (id) => await lab.ended(id, 120_000)))
  isDone = true
  await watch
  const inOrder = all.toSorted((a, b) => a.deployment_number - b.deployment_number)
  expect(inOrder.map((one) => one.deployment_number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(inOrder.map((one) => one.status)).toEqual(Array.from({ length: 10 }, () => 'success'))
  for (const [index, one] of inOrder.entries()) expect((one.started_at ?? '') >= (inOrder[index - 1]?.finished_at ?? '')).toBe(true)
  expect(
    (await lab.owner.call('deployments.list', { appId: app.id })).filter((one) => one.is_active).map((one) => one.deployment_number),
  ).toEqual([10])
  expect(most).toBeLessThanOrEqual(2)
  const tags = (await lab.engine.images.list({ labels: { 'berth.app': String(app.id), 'berth.instance': lab.instance } })).flatMap(
    ({ tags }) => tags,
  )
  expect(tags.length).toBeLessThanOrEqual(5) // the releases that are kept
})
