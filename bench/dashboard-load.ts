import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { startBrowserLab } from '../e2e/browser-lab.ts'
import { ended } from '../e2e/wait.ts'
import { httpdApp } from '../packages/server/testing/images/test-images.ts'
import { numberFlag, say, verdict } from './lib/numbers.ts'

/** What a browser loads before it shows the overview, and the layout shift of its pages. */
const settleMs = numberFlag('settle', 3) * 1000
await using lab = await startBrowserLab()

const WATCH_SHIFTS = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifts.push(shift.value)
  }).observe({ type: 'layout-shift', buffered: true })`
const SHIFTED = 'window.shifts.reduce((sum, value) => sum + value, 0)'
const SCRIPTS = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => [name, encodedBodySize])`
const PAINTED = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`

async function kilobytes(page: Page): Promise<number> {
  const scripts = new Map(await page.evaluate<[string, number][]>(SCRIPTS))
  return [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0) / 1000
}

/** A phone on a slow network. */
async function slowPaint(): Promise<number> {
  const { page: slow, context } = await lab.visitor()
  const network = await context.newCDPSession(slow)
  const speed = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
  await network.send('Network.emulateNetworkConditions', speed)
  await slow.goto('/login')
  await slow.getByLabel('Email').waitFor()
  return await slow.evaluate<number>(PAINTED)
}

async function seed() {
  const owner = await lab.berth.owner()
  const project = await owner.call('projects.create', { name: 'Shop' })
  const repository = await lab.git.createRepository({ files: httpdApp({ body: 'hello' }) })
  const names = ['website', 'admin', 'worker', 'api', 'mail', 'search']
  const apps = []
  for (const name of names) apps.push(await owner.call('apps.create', { name, projectId: project.id, gitCloneUrl: repository.url }))
  const [app] = apps
  if (app === undefined) throw new Error('there is a first app')
  const deployment = await owner.call('deployments.create', { appId: app.id })
  return { project, app, deployment }
}

const { project, app, deployment } = await seed()
const page = await lab.signedIn()
await page.goto(`/apps/${app.id}/deployments/${deployment.id}`)
await ended(page, 'Live')

const { page: fresh } = await lab.visitor()
await fresh.goto('/login')
await fresh.getByLabel('Email').waitFor()
await fresh.waitForLoadState('networkidle')
const login = await kilobytes(fresh)
say(`login: ${login.toFixed(1)} kB of JavaScript, first paint after ${(await fresh.evaluate<number>(PAINTED)).toFixed(0)} ms`)
say(`login at 1.6 Mbit/s and 150 ms: first paint after ${(await slowPaint()).toFixed(0)} ms`)
await fresh.getByLabel('Email').fill('owner@example.test')
await fresh.getByLabel('Password', { exact: true }).fill('owner-password-1')
await fresh.getByRole('button', { name: 'Log in' }).click()
await fresh.getByRole('heading', { name: 'Server' }).waitFor()
await sleep(settleMs)
const both = await kilobytes(fresh)
say(`login and overview: ${both.toFixed(1)} kB`)

await page.addInitScript(WATCH_SHIFTS)
let worst = 0
const PAGES = {
  overview: '/',
  projects: '/projects',
  project: `/projects/${project.id}`,
  apps: '/apps',
  app: `/apps/${app.id}`,
  deployments: `/apps/${app.id}/deployments`,
  deployment: `/apps/${app.id}/deployments/${deployment.id}`,
  logs: `/apps/${app.id}/logs`,
  environment: `/apps/${app.id}/environment`,
  domains: `/apps/${app.id}/domains`,
  settings: `/apps/${app.id}/settings`,
  users: '/admin/users',
  audit: '/admin/audit',
  health: '/admin/health',
}
for (const [name, path] of Object.entries(PAGES)) {
  await page.goto(path)
  await sleep(settleMs)
  const shifted = await page.evaluate<number>(SHIFTED)
  say(`layout shift of ${name}: ${shifted.toFixed(4)}`)
  worst = Math.max(worst, shifted)
}
verdict('JavaScript of login and overview, gzipped kB', both, { atMost: 250 })
verdict('largest cumulative layout shift of a page', worst, { atMost: 0.01 })
