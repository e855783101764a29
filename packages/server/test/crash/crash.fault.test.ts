import { describe, expect, it } from 'vitest'
import { openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { redeploy } from './crash-scenarios.ts'
import { socketText, sweep, violations } from './crash-sweep.ts'
import { watchHolders } from './holders.ts'
import { countReleaseRuns } from './release-runs.ts'

const v2 = () => webFiles('v2', [`RUN echo ${Math.random()}; sleep 2`])

describe('a server that dies', () => {
  it('in any stage comes back and ends the deployment by itself', async () => {
    await using lab = await openDeployLab({ runs: 'as a process', tuning: { stabilityMs: 2500, resolveAtAddMs: 300 } })
    const keeper = await lab.createApp(webFiles('v1'), { volumes: [{ name: 'data', path: '/data' }] })
    const apps = [keeper, await lab.createApp(v2()), await lab.createApp(v2())]
    await lab.deploy(keeper.id)
    await keeper.repository.commit({ files: webFiles('v2') })
    const holders = watchHolders(lab, keeper.id)
    const [starting = 0, building = 0] = await Promise.all(apps.slice(0, 2).map(async (app) => await lab.add(app.id)))
    const waiting = await lab.add(apps[1]?.id ?? 0)
    await Promise.all([lab.reaches(starting, 'starting_new'), lab.reaches(building, 'building_image')])
    lab.git.setMode({ kind: 'stall' })
    const cloning = await lab.add(apps[2]?.id ?? 0)
    await lab.reaches(cloning, 'cloning_repo')
    await lab.berth.kill9()
    lab.git.setMode({ kind: 'normal' })
    await lab.berth.startAgain()
    for (const id of [starting, building, waiting, cloning]) {
      expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
      expect(await socketText(lab, id)).toBe(await lab.log(id))
    }
    for (const app of apps) expect(await lab.visit(app)).toBe('v2')
    expect({ wrong: holders.wrong(), isWatched: holders.starts() > 0 }).toEqual({ wrong: [], isWatched: true })
    await holders.stop()
    await until(
      async () => await violations(lab),
      (list) => list.length === 0,
    )
  })

  it('while a release command runs does not run it again, and what served before goes on', async () => {
    await using lab = await openDeployLab({ runs: 'as a process' })
    const app = await lab.createApp(webFiles('v1'))
    await lab.deploy(app.id)
    const runs = countReleaseRuns(lab)
    await lab.owner.call('apps.update', { appId: app.id, releaseCommand: 'echo begun; sleep 600' })
    await app.repository.commit({ files: webFiles('v2') })
    const id = await lab.add(app.id)
    await until(
      () => runs.of(id),
      (count) => count === 1,
    )
    await lab.berth.kill9()
    await lab.berth.startAgain()
    const { status, error_message } = await lab.ended(id)
    expect({ status, error_message }).toEqual({ status: 'failed', error_message: expect.stringContaining('It is never run twice') })
    expect(runs.of(id)).toBe(1)
    expect(await lab.visit(app)).toBe('v1')
    await until(
      async () => [...runs.wrong(), ...(await violations(lab))],
      (list) => list.length === 0,
    )
    await runs.stop()
  })

  it('between the start of the main process and that of another one comes back and runs both', { tags: 'long' }, async () => {
    await using lab = await openDeployLab({ runs: 'as a process', tuning: { stabilityMs: 1000 } })
    const app = await lab.createApp(webFiles('v1'), { processes: [{ name: 'worker', command: 'sleep 600', replicas: 3 }] })
    await lab.deploy(app.id)
    await app.repository.commit({ files: webFiles('v2') })
    const id = await lab.add(app.id)
    const made = async () => (await lab.containersOf(app.id)).filter(({ owner }) => owner.deploymentId === id)
    await until(made, ({ length }) => length > 0) // the main process; the others are started after it, one by one
    await lab.berth.kill9()
    expect(await lab.visit(app)).toBe('v1')
    await lab.berth.startAgain()
    expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
    expect([(await made()).length, await lab.visit(app)]).toEqual([4, 'v2'])
    await until(
      async () => await violations(lab),
      (list) => list.length === 0,
    )
  })

  it('at any of three side effects of a redeploy leaves nothing half done', async () => {
    const swept = await sweep(redeploy, { kind: 'crash-before', stride: 8, most: 17, labs: 2 })
    expect(swept.failures).toEqual([])
    expect(swept.points).toBe(3)
  })
})

it('a server stopped during a deployment exits in time, closes its sockets, and continues after the restart', async () => {
  await using lab = await openDeployLab({ runs: 'as a process' })
  const app = await lab.createApp(webFiles('v1'))
  await lab.deploy(app.id)
  await app.repository.commit({ files: v2() })
  const id = await lab.add(app.id)
  await lab.reaches(id, 'building_image')
  await using socket = await lab.berth.connect('deployment.stream', { cookie: lab.owner.cookie, input: { deploymentId: id } })
  const from = performance.now()
  await lab.berth.stop()
  expect(performance.now() - from).toBeLessThan(30_000) // what stops a machine waits this long
  expect(await socket.closed).toBe(1001)
  expect(await lab.visit(app)).toBe('v1')
  await lab.berth.startAgain()
  expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
  expect(await lab.visit(app)).toBe('v2')
})
