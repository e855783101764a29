import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { BUSYBOX_IMAGE } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'
import { shown } from './wait.ts'

type Case = { name: string; path: string; asks: string; full: string | RegExp; empty?: { path: string; says: string } }

/** Pages mostly wait, for a gate or for another try: a few at a time. */
const TABS = 4

let lab: BrowserLab
let tabs: Page[]
let cases: Case[]

beforeAll(async () => {
  lab = await startBrowserLab()
  const page = await lab.signedIn()
  tabs = [page]
  await page.goto('/')
  await shown(page.getByText('Your first deployment'))
  await page.goto('/projects')
  await shown(page.getByText('No projects yet'))
  await page.goto('/apps')
  await shown(page.getByText(/No apps/))
  const owner = await lab.berth.owner()
  const { id: nothingIn } = await owner.call('projects.create', { name: 'Sandbox' })
  const project = await owner.call('projects.create', { name: 'Shop', tags: 'web' })
  const fresh = await owner.call('apps.create', { name: 'fresh', projectId: project.id })
  for (const { id } of await owner.call('domains.list', { appId: fresh.id })) await owner.call('domains.delete', { id })
  const app = await owner.call('apps.create', {
    name: 'website',
    projectId: project.id,
    gitCloneUrl: `${lab.git.origin}/missing.git`,
    envVars: { COLOUR: 'green' },
  })
  await owner.call('projectEnvs.replace', { projectId: project.id, variables: [{ key: 'REGION', value: 'eu' }] })
  await owner.call('domains.create', { appId: app.id, domain: 'shop.example.com' })
  const deployment = await owner.call('deployments.create', { appId: app.id })
  const hasFailed = async () => (await owner.call('deployments.get', { id: deployment.id })).status === 'failed'
  await vi.waitUntil(hasFailed, { timeout: 60_000, interval: 500 })
  const emptyAt = (rest: string, says: string) => ({ empty: { path: `/apps/${fresh.id}${rest}`, says } })
  cases = [
    { name: 'overview', path: '/', asks: '**/api/apps', full: 'Needs attention' },
    { name: 'projects', path: '/projects', asks: '**/api/projects', full: 'Sandbox' },
    {
      name: 'project',
      path: `/projects/${project.id}`,
      asks: `**/api/projects/${project.id}`,
      full: 'website',
      empty: { path: `/projects/${nothingIn}`, says: 'No apps in this project yet' },
    },
    {
      name: 'project variables',
      path: `/projects/${project.id}/variables`,
      asks: '**/api/projects/envs*',
      full: 'REGION',
      empty: { path: `/projects/${nothingIn}/variables`, says: 'No variables yet' },
    },
    { name: 'apps', path: '/apps', asks: '**/api/apps', full: 'website' },
    { name: 'app', path: `/apps/${app.id}`, asks: '**/api/apps/get/id', full: 'View log', ...emptyAt('', 'No source yet') },
    {
      name: 'deployments',
      path: `/apps/${app.id}/deployments`,
      asks: '**/api/deployment/getByAppId',
      full: '#1',
      ...emptyAt('/deployments', 'No deployments yet'),
    },
    {
      name: 'deployment',
      path: `/apps/${app.id}/deployments/${deployment.id}`,
      asks: `**/api/deployments/${deployment.id}`,
      full: 'Deployment #1',
    },
    { name: 'logs', path: `/apps/${fresh.id}/logs`, asks: '**/api/apps/container/status*', full: 'No container yet' },
    {
      name: 'environment',
      path: `/apps/${app.id}/environment`,
      asks: '**/api/apps/envs/get',
      full: 'COLOUR',
      ...emptyAt('/environment', 'No variables yet'),
    },
    {
      name: 'domains',
      path: `/apps/${app.id}/domains`,
      asks: '**/api/apps/domains/get',
      full: 'shop.example.com',
      ...emptyAt('/domains', 'No domains yet'),
    },
    {
      name: 'webhooks',
      path: `/apps/${app.id}/webhooks`,
      asks: '**/api/webhooks/deliveries?*',
      full: 'Pushes do not arrive here',
    },
    { name: 'git accounts', path: '/account/git', asks: '**/api/git/accounts', full: 'No Git account yet' },
    { name: 'users', path: '/admin/users', asks: '**/api/users/get', full: 'owner@example.test' },
    { name: 'templates', path: '/templates', asks: '**/api/templates', full: 'PostgreSQL' },
    { name: 'settings', path: '/admin/settings', asks: '**/api/settings', full: 'Releases to keep' },
    { name: 'audit log', path: '/admin/audit', asks: '**/api/audit*', full: 'Project created' },
    { name: 'health', path: '/admin/health', asks: `${lab.berth.baseUrl}/health`, full: "Stores Berth's data" },
  ]
  while (tabs.length < TABS) tabs.push(await lab.signedIn())
})
afterAll(async () => await lab[Symbol.asyncDispose]())

const visible = async (locator: Locator) => await locator.first().waitFor({ timeout: 20_000 })

/** Goes through all pages and says which of them failed. */
async function onEveryPage(check: (page: Page, each: Case) => Promise<void>): Promise<string[]> {
  const failed: string[] = []
  const waiting = cases.values()
  const work = async (page: Page) => {
    for (const each of waiting) {
      await check(page, each).catch((cause: unknown) => failed.push(`${each.name}: ${String(cause)}`))
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  }
  await Promise.all(tabs.map(work))
  return [...failed, ...lab.problems]
}

it('shows on every page that it loads, then what is there', { tags: 'long', timeout: 300_000 }, async () => {
  const failed = await onEveryPage(async (page, { path, asks, full }) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    await page.route(asks, async (route) => {
      await gate
      await route.continue()
    })
    await page.goto(path)
    await visible(page.locator('[data-loading]'))
    open()
    await visible(page.locator('main').getByText(full))
  })
  expect(failed).toEqual([])
})

it('says on every page when it could not be loaded, and gets there by another try', { tags: 'long', timeout: 300_000 }, async () => {
  const refusal = { status: 500, json: { error: { code: 'internal_error', message: 'Something went wrong.' } } }
  const failed = await onEveryPage(async (page, { path, asks, full }) => {
    await page.route(asks, async (route) => await route.fulfill(refusal))
    await page.goto(path)
    await visible(page.getByText('Could not load this'))
    await page.unroute(asks)
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await visible(page.locator('main').getByText(full))
  })
  expect(failed).toEqual([])
})

it('says on every page that is empty what belongs there', async () => {
  const failed = await onEveryPage(async (page, { empty }) => {
    if (empty === undefined) return
    await page.goto(empty.path)
    await visible(page.getByText(empty.says))
  })
  expect(failed).toEqual([])
})

it('says that the page may be reloaded when its script does not arrive', async () => {
  const { page } = await lab.visitor()
  await page.route('**/assets/index-*.js', async (route) => await route.abort())
  await page.goto('/login')
  await visible(page.getByText('Still loading.'))
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.getByRole('link', { name: 'reload the page' }).click()
  await visible(page.getByRole('button', { name: 'Log in' }))
  expect(await page.getByText('Still loading.').isVisible()).toBe(false)
})

it('shows the end of a log whose lines fill the screen of a phone only once they are wrapped', async () => {
  const owner = await lab.berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Builds' })
  const files = { Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN echo "npm run build" && exit 1\n` }
  const { url } = await lab.git.createRepository({ files })
  const app = await owner.call('apps.create', { name: 'broken', projectId, gitCloneUrl: url })
  const { id } = await owner.call('deployments.create', { appId: app.id })
  await vi.waitUntil(async () => (await owner.call('deployments.get', { id })).status === 'failed', { timeout: 60_000, interval: 500 })
  const [page] = tabs
  if (!page) throw new Error('there is a page')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/apps/${app.id}/deployments/${id}`)
  const log = page.getByRole('region', { name: 'Log' })
  await visible(log.getByText('Failed: '))
  const box = "document.querySelector('[aria-label=Log]')"
  expect(await page.evaluate<number>(`${box}.scrollHeight - ${box}.clientHeight`)).toBeGreaterThan(40)
  const isAtEnd = async () => (await page.evaluate<number>(`${box}.scrollHeight - ${box}.clientHeight - ${box}.scrollTop`)) < 2
  await vi.waitUntil(isAtEnd, { timeout: 5000 })
})
