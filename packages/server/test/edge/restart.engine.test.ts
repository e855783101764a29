import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownedBy } from '../../src/engine/labels.ts'
import { type EdgeLab, type LabApp, type LabRelease, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { type Visit, visit } from '../../testing/labs/edge-visitor.ts'

let lab: EdgeLab

beforeAll(async () => {
  lab = await startEdgeLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

/** Visitors who come again and again, some of them with a slow POST, which must not be sent to another replica. */
function startVisitors(host: string) {
  const failures: string[] = []
  const finished = { GET: 0, POST: 0 }
  const begin = performance.now()
  let isOver = false
  async function come(to: Visit & { method: 'GET' | 'POST' }): Promise<void> {
    while (!isOver) {
      const begun = Math.round(performance.now() - begin)
      const problem = await visit(lab, to).then(
        ({ status }) => (status === 200 ? undefined : `status ${status}`),
        (err: unknown) => String(err),
      )
      if (problem === undefined) finished[to.method] += 1
      else
        failures.push(`${to.method} from ${begun} to ${Math.round(performance.now() - begin)} ms (${new Date().toISOString()}): ${problem}`)
      await sleep(20)
    }
  }
  const post = { host, path: '/slow?ms=2000', method: 'POST', body: 'x' } as const
  const all = Promise.all([...Array.from({ length: 6 }, async () => await come(post)), come({ host, method: 'GET' })])
  return {
    async end() {
      isOver = true
      await all
      return { failures, finished }
    },
  }
}

/** What explains a visitor who was lost: when each replica began, and what Berth said meanwhile. */
async function explained(app: LabApp): Promise<string> {
  return JSON.stringify({ starts: await startsOf(app), log: lab.berth.log().split('\n').slice(-20) }, undefined, 1)
}

async function startsOf(app: LabApp): Promise<string[]> {
  const found = await lab.engine.containers.list({ labels: ownedBy({ instance: lab.instance, appId: app.id }) })
  return await Promise.all(found.map(async ({ id }) => (await lab.engine.containers.inspect(id))?.startedAt ?? ''))
}

async function addReplicated(name: string, release: LabRelease, settings: { healthcheckPath?: string } = {}): Promise<LabApp> {
  const domain = `${name}.example.test`
  const app = await lab.addApp(name, { domain, release, ...settings })
  await lab.call('apps.update', { appId: app.id, replicas: 2 })
  await lab.deployWell(app)
  await until(async () => (await visit(lab, { host: domain })).status === 200, 'the app')
  return app
}

it.for([
  { name: 'slow', title: 'are unready for seconds after a start', readyAfterMs: 4000, rounds: 1, healthcheckPath: '/health' },
  { name: 'quick', title: 'have no health check', readyAfterMs: 0, rounds: 2 },
])('a restart of two replicas that $title loses no visitor', async ({ name, readyAfterMs, rounds, ...settings }) => {
  const given = settings.healthcheckPath === undefined ? {} : { healthcheckPath: settings.healthcheckPath }
  const app = await addReplicated(name, { version: '1', readyAfterMs }, given)
  const before = await startsOf(app)
  const visitors = startVisitors(`${name}.example.test`)
  await sleep(1000)
  for (let round = 0; round < rounds; round += 1) await lab.call('containers.restart', { appId: app.id })
  const { failures, finished } = await visitors.end()
  expect(failures, failures.length === 0 ? '' : await explained(app)).toEqual([])
  expect(Math.min(finished.GET, finished.POST)).toBeGreaterThan(5)
  const after = await startsOf(app)
  expect([before.length, after.length, after.filter((at) => before.includes(at))]).toEqual([2, 2, []])
})
