import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../src/testing/crash-sweep.ts'
import { type DeployLab, dockerfile, openDeployLab, until, webFiles } from '../src/testing/deploy-lab.ts'
import { type EngineProxy, startEngineProxy } from '../src/testing/engine-proxy.ts'

const CUT_MS = 4000
const SLOW_START = {
  Dockerfile: dockerfile(['COPY index.html /www/index.html'], 'sleep 3; exec httpd -f -p "$PORT" -h /www'),
  'index.html': 'through it all',
}
const slowBuild = () => webFiles('through it all', [`RUN echo ${Math.random()}; sleep 2`])

describe('an engine that goes away', () => {
  let proxy: EngineProxy
  let lab: DeployLab
  beforeAll(async () => {
    proxy = await startEngineProxy()
    lab = await openDeployLab({ socketPath: proxy.socketPath, tuning: { stabilityMs: 1500, healthDeadlineMs: 20_000 } })
  })
  afterAll(async () => {
    await lab[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })

  it('and comes back within seconds, in any stage, costs no deployment', async () => {
    const files = [slowBuild(), SLOW_START, webFiles('through it all')]
    const apps = await Promise.all(files.map(async (one) => await lab.createApp(one)))
    const [building = 0, starting = 0] = await Promise.all(apps.slice(0, 2).map(async (app) => await lab.add(app.id)))
    await lab.reaches(starting, 'starting_new')
    await lab.reaches(building, 'building_image')
    const cloning = await lab.add(apps[2]?.id ?? 0)
    await proxy.cut()
    await sleep(CUT_MS)
    expect((await lab.berth.raw('GET', '/health')).status).toBe(200) // degraded, and it answers
    await proxy.restore()
    for (const id of [building, starting, cloning]) expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
    for (const app of apps) expect(await lab.visit(app)).toBe('through it all')
  })

  it('and resets what is open in the middle of a build costs no deployment', async () => {
    const app = await lab.createApp(slowBuild())
    const id = await lab.add(app.id)
    await lab.reaches(id, 'building_image')
    await sleep(1000)
    proxy.reset()
    expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
  })

  it('and refuses one call ends in a failure that says so, or in success, and leaves nothing behind', async () => {
    const calls = ['POST /containers/create*', 'POST /containers/*/start', 'POST /networks/create', 'POST /build*', 'DELETE /containers/*']
    const apps = await Promise.all(
      calls.map(async (call) => {
        const project = await lab.owner.call('projects.create', { name: `Refused ${call}` })
        return await lab.createAppIn(project.id, webFiles('x'))
      }),
    )
    for (const call of calls) proxy.fail(call, { status: 500, times: 1 })
    const all = await Promise.all(apps.map(async (app) => await lab.deploy(app.id)))
    proxy.clear()
    const failed = all.filter(({ status }) => status !== 'success')
    expect(failed.length).toBeGreaterThan(0)
    for (const one of failed) expect(one.error_message).toMatch(/container engine refused|The build failed/)
    await until(
      async () => await violations(lab),
      (list) => list.length === 0,
    )
  })
})

describe('what never answers', () => {
  it('no engine at all: the deployment is taken, waits, and fails with a sentence', async () => {
    await using lab = await openDeployLab({ socketPath: '/nonexistent/engine.sock', tuning: { engineWaitMs: 1000 } })
    const app = await lab.createApp(webFiles('x'))
    const queued = await lab.owner.call('deployments.add', { appId: app.id })
    expect(queued.status).toBe('pending')
    const last = await lab.ended(queued.id)
    expect(last).toMatchObject({ status: 'failed' })
    expect(last.error_message).toMatch(/container engine did not answer/)
    expect(await lab.log(last.id)).toMatch(/waiting up to 1 seconds for it/)
  })

  it('a git server that stalls and a build that hangs end at their deadlines, while others deploy', async () => {
    await using lab = await openDeployLab({ tuning: { cloneDeadlineMs: 3000, buildDeadlineMs: 4000, resolveAtAddMs: 300 } })
    const stalled = await lab.createApp(webFiles('x'))
    const hanging = await lab.createApp({ Dockerfile: dockerfile([`RUN echo ${Math.random()}; sleep 1000`], 'true') })
    const good = await lab.createApp(webFiles('not held up'))
    const slow = await lab.add(hanging.id)
    await lab.reaches(slow, 'building_image')
    expect((await lab.deploy(good.id)).status).toBe('success')
    lab.git.setMode({ kind: 'stall' })
    const last = await lab.deploy(stalled.id)
    expect(last).toMatchObject({ status: 'failed' })
    expect(last.error_message).toMatch(/Cloning the repository took longer than/)
    expect((await lab.ended(slow)).error_message).toMatch(/Building the image took longer than/)
  })
})
