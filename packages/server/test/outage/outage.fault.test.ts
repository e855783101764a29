import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dockerfile, openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { type OutageFault, type OutageLab, openOutageLab, runOutageCell } from './outage-matrix.ts'
import { OUTAGE_ROWS } from './outage-rows.ts'

const SLOW_START = {
  Dockerfile: dockerfile(['COPY index.html /www/index.html'], 'sleep 3; exec httpd -f -p "$PORT" -h /www'),
  'index.html': 'through it all',
}
const slowBuild = () => webFiles('through it all', [`RUN echo ${Math.random()}; sleep 2`])

/** One stage and one fault each; `outage.long.ts` has them all. */
const CELLS: readonly [string, OutageFault][] = [
  ['stopping_old', { kind: 'cut', ms: 2000 }],
  ['rollback: creating', { kind: 'refuse', call: 'POST /containers/create' }],
]

describe('an engine that becomes unreachable', () => {
  let outage: OutageLab
  beforeAll(async () => {
    outage = await openOutageLab()
  })
  afterAll(async () => await outage[Symbol.asyncDispose]())

  it('and comes back costs no deployment in any stage, and /health says how it is', async () => {
    const { lab, proxy } = outage
    const health = async () => await lab.berth.anonymous('health')
    const files = [slowBuild(), SLOW_START, webFiles('through it all')]
    const apps = await Promise.all(files.map(async (one) => await lab.createApp(one)))
    const [building = 0, starting = 0] = await Promise.all(apps.slice(0, 2).map(async (app) => await lab.add(app.id)))
    await lab.reaches(starting, 'starting_new')
    await lab.reaches(building, 'building_image')
    const cloning = await lab.add(apps[2]?.id ?? 0)
    await proxy.cut()
    const during = await until(health, ({ status }) => status === 'degraded')
    expect(during.checks).toMatchObject({ engine: 'unreachable', database: 'ok', queue: 'ok' })
    expect(during.messages['engine']).not.toBe('')
    await proxy.restore()
    for (const id of [building, starting, cloning]) expect(await lab.ended(id)).toMatchObject({ status: 'success', error_message: '' })
    for (const app of apps) expect(await lab.visit(app)).toBe('through it all')
    await until(health, ({ status }) => status === 'ok')
  })

  it('or is slow while leftovers are looked for does not make them of a deployment that has just begun', async () => {
    const { lab, proxy } = outage
    const app = await lab.createApp(webFiles('as it began'))
    const looks = () => proxy.requests.filter((request) => request === 'GET /networks').length
    proxy.delay('GET /networks', 3000)
    try {
      const before = looks()
      await until(looks, (now) => now > before)
      const id = await lab.add(app.id)
      await lab.reaches(id, 'building_image')
      proxy.clear()
      expect((await lab.ended(id)).status).toBe('success')
      const atTheEnd = looks()
      await until(looks, (now) => now > atTheEnd) // the next look begins when the one before has ended
      expect(await lab.log(id)).toContain('visitors now go to this release')
    } finally {
      proxy.clear()
    }
  })

  it.each(CELLS)('or fails once leaves nothing behind and nothing undone: %s, %o', async (stage, fault) => {
    const row = OUTAGE_ROWS.find((candidate) => candidate.stage === stage)
    if (!row) throw new Error(`there is no stage ${stage}`)
    expect(await runOutageCell(outage, row, fault)).toMatchObject({ stage, wrong: [] })
  })
})

describe('what never answers', () => {
  it('without an engine a deployment is accepted, waits, and fails with a clear error', async () => {
    await using lab = await openDeployLab({ socketPath: '/nonexistent/engine.sock', tuning: { engineWaitMs: 1000 } })
    const app = await lab.createApp(webFiles('x'))
    const queued = await lab.owner.call('deployments.add', { appId: app.id })
    expect(queued.status).toBe('pending')
    const last = await lab.ended(queued.id)
    expect(last).toMatchObject({ status: 'failed' })
    expect(last.error_message).toMatch(/container engine did not respond/)
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

  it('a git server and a build that say nothing are ended for their silence, long before their deadlines', { tags: 'long' }, async () => {
    await using lab = await openDeployLab({ tuning: { cloneIdleMs: 8000, buildIdleMs: 4000, resolveAtAddMs: 300 } })
    const silent = await lab.createApp({ Dockerfile: dockerfile([`RUN echo ${Math.random()}; sleep 1000`], 'true') })
    const stalled = await lab.createApp(webFiles('x'))
    const building = await lab.add(silent.id)
    await lab.reaches(building, 'building_image')
    lab.git.setMode({ kind: 'stall' })
    const cloning = await lab.add(stalled.id)
    const built = await lab.ended(building)
    expect(built).toMatchObject({ status: 'failed' })
    expect(built.error_message).toMatch(/^The build printed nothing for 4 seconds and was stopped\./)
    expect(await lab.log(building)).toContain('Failed: The build printed nothing for 4 seconds')
    expect((await lab.ended(cloning)).error_message).toMatch(/^The git server sent nothing for 8 seconds, so cloning was stopped\./)
  })
})
