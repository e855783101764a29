import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchVersions } from '../../testing/harness/watch-versions.ts'
import { type EdgeLab, type LabRelease, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'

let lab: EdgeLab

beforeAll(async () => {
  lab = await startEdgeLab({ tuning: { healthDeadlineMs: 6000, stabilityMs: 5000 } })
})
afterAll(async () => await lab[Symbol.asyncDispose]())

/** Deploys a good release and then this one, and returns what the visitors of the good one saw meanwhile. */
async function deployBad(name: string, release: LabRelease) {
  const host = `${name}.example.test`
  const app = await lab.addApp(name, { domain: host, healthcheckPath: '/health' })
  const good = await lab.deployWell(app)
  const watch = watchVersions(lab, { host })
  const bad = await lab.deploy(app, release)
  const seen = await watch()
  const active = (await lab.call('deployments.list', { appId: app.id })).find((deployment) => deployment.is_active)
  expect(bad.status).toBe('failed')
  expect(bad.error_message).not.toBe('')
  expect(active?.id).toBe(good.id)
  expect(JSON.parse((await visit(lab, { host })).text)).toMatchObject({ version: '1' })
  return seen
}

it.concurrent('never sends a visitor to a release that does not listen or is not healthy, and the old one keeps serving', async () => {
  const seen = await Promise.all([
    deployBad('mute', { version: 'mute', mode: 'never listens' }),
    deployBad('ill', { version: 'ill', health: 500 }),
  ])
  expect(seen).toEqual([
    { versions: ['1'], errors: 0 },
    { versions: ['1'], errors: 0 },
  ])
})

it.concurrent('sends no visitor to a release that dies three seconds after it became healthy', async () => {
  expect(await deployBad('mortal', { version: 'mortal', diesAfterMs: 3000 })).toEqual({ versions: ['1'], errors: 0 })
})

it.concurrent('lets a release that is cancelled while it is on trial finish what it has begun', async () => {
  const host = 'called-off.example.test'
  const app = await lab.addApp('called-off', { domain: host })
  const { id } = await lab.call('deployments.add', { appId: app.id })
  await until(async () => (await visit(lab, { host })).status === 200, 'the first visitor of its first release')
  const slow = visit(lab, { host, path: '/slow?ms=2000', method: 'POST' })
  await sleep(300) // the app has it by now
  expect(await lab.call('deployments.stop', { deploymentId: id })).toMatchObject({ status: 'stopped' })
  expect((await slow).status).toBe(200)
  await until(async () => (await visit(lab, { host })).status === 503, 'nobody answers any more')
})

it.concurrent('returns to the old release at once if the new one crashes on its first visitor', async () => {
  expect(await deployBad('shy', { version: 'shy', mode: 'dies of visitors' })).toEqual({ versions: ['1'], errors: 0 })
})
