import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitHostServer, startGitHost } from '../packages/server/testing/git-host/start-git-host.ts'
import { BUSYBOX_IMAGE, httpdApp } from '../packages/server/testing/images/test-images.ts'
import { until } from '../packages/server/testing/labs/deploy-lab.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'

type Violation = { id: string; impact: string | null; nodes: { target: unknown[]; html: string }[] }

let lab: BrowserLab
let host: GitHostServer
let page: Page
let pages: string[]
let axeSource: string

beforeAll(async () => {
  host = await startGitHost('gitlab')
  lab = await startBrowserLab({ env: host.env })
  axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const owner = await lab.berth.owner()
  const repository = await lab.git.createRepository({ files: httpdApp({ body: 'hello' }) })
  const project = await owner.call('projects.create', { name: 'Shop', tags: 'web,customers' })
  const app = await owner.call('apps.create', {
    name: 'Website',
    projectId: project.id,
    gitCloneUrl: repository.url,
    envVars: { COLOUR: 'green', STORE: '${{storage.URL}}?region=${{project.REGION}}' },
  })
  await owner.call('projectEnvs.replace', { projectId: project.id, variables: [{ key: 'REGION', value: 'eu' }] })
  const database = await owner.call('apps.create', { name: 'Storage', projectId: project.id, appType: 'database', templateName: 'redis' })
  await owner.call('apps.update', { appId: app.id, volumes: [{ name: 'uploads', path: '/data', shareable: true }] })
  await owner.call('files.save', { appId: app.id, path: '/app/config.json', content: '{}' })
  await owner.call('domains.create', { appId: app.id, domain: 'shop.example.com' })
  const robot = host.addPerson('robot', 'a-good-token')
  await host.addRepository('acme/shop', [robot])
  const account = await owner.call('git.createAccount', { provider: 'gitlab', token: 'a-good-token', baseUrl: host.origin })
  const stack = await owner.call('apps.create', { name: 'Stack', projectId: project.id, appType: 'compose', port: null })
  const services = { db: { image: BUSYBOX_IMAGE, command: ['sleep', '600'], ports: ['5432:5432'], volumes: ['data:/data'] } }
  await owner.call('stacks.setFile', { appId: stack.id, composeFile: JSON.stringify({ services }, undefined, 2) })
  const deployment = await owner.call('deployments.create', { appId: app.id })
  const ofStack = await owner.call('deployments.create', { appId: stack.id })
  for (const { id } of [deployment, ofStack]) {
    const ended = await until(
      () => owner.call('deployments.get', { id }),
      ({ status }) => status === 'success' || status === 'failed',
      100_000,
    )
    if (ended.status === 'failed') throw new Error(`the app was not deployed: ${ended.error_message}`)
  }
  pages = [
    '/',
    '/projects',
    `/projects/${project.id}`,
    `/projects/${project.id}/variables`,
    `/projects/${project.id}/members`,
    `/projects/${project.id}/git`,
    `/projects/${project.id}/settings`,
    `/projects/${project.id}/new`,
    '/apps',
    ...[
      '',
      '/deployments',
      `/deployments/${deployment.id}`,
      '/compare',
      '/logs',
      '/environment',
      '/environment?view=text',
      '/storage',
      '/domains',
      '/webhooks',
      '/settings',
      '/danger',
    ].map((rest) => `/apps/${app.id}${rest}`),
    `/apps/${database.id}`,
    ...['/services', '/logs', '/domains', '/settings'].map((rest) => `/apps/${stack.id}${rest}`),
    '/account',
    '/account/git',
    `/account/git/${account.id}`,
    '/templates',
    ...['/users', '/settings', '/servers', '/audit', '/health'].map((rest) => `/admin${rest}`),
    '/nowhere',
    '/login',
    '/setup',
    '/docs',
    '/join#token=x&email=new@example.test',
  ]
  page = await lab.signedIn()
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

/** What axe finds serious. In the second colour scheme only the colours differ, so only they are checked. */
async function violations(path: string, rules?: string[]): Promise<string[]> {
  const found = await page.evaluate(async (only) => {
    type Axe = { run(options: { resultTypes: string[]; runOnly?: string[] }): Promise<{ violations: Violation[] }> }
    const { axe } = globalThis as unknown as { axe: Axe } // put there by the page's script
    const quick = { resultTypes: ['violations'] } // what passed is not gathered
    return (await axe.run(only === undefined ? quick : { ...quick, runOnly: only })).violations
  }, rules)
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html ?? ''}`)
}

async function findOn(paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await page.goto(path)
    await page.locator('main').first().waitFor()
    await page.waitForLoadState('networkidle').catch(() => undefined) // live pages keep their sockets open
    await page.evaluate(axeSource)
    found.push(...(await violations(path)))
    await page.emulateMedia({ colorScheme: 'dark' })
    found.push(...(await violations(`${path} (dark)`, ['color-contrast'])))
    await page.setViewportSize({ width: 390, height: 844 })
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    if (width > 390) found.push(`${path} is ${width} px wide on a phone of 390`)
  }
  return [...found, ...lab.problems]
}

const limit = { timeout: 300_000 }

it('has nothing serious to be found by axe on every third page, in light and in dark, and fits on a phone', limit, async () => {
  expect(await findOn(pages.filter((_, n) => n % 3 === 0))).toEqual([])
})

it('has nothing serious to be found by axe on any page, in light and in dark, and fits on a phone', {
  ...limit,
  tags: 'long',
}, async () => {
  expect(await findOn(pages)).toEqual([])
})

it('asks for little, keeps every key that is typed, and ends every tab with one log-out', async () => {
  await page.setViewportSize({ width: 1280, height: 900 })
  const asked: string[] = []
  page.on('request', (request) => {
    if (/^\/(api\/|health)/.test(new URL(request.url()).pathname)) asked.push(new URL(request.url()).pathname)
  })
  await page.goto('/')
  await page.getByText('Deploying now').waitFor()
  expect(asked.length, asked.join(' ')).toBeLessThanOrEqual(5)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('website')
  const search = page.getByRole('combobox', { name: 'Search' })
  await expect.poll(async () => await search.inputValue()).toBe('website')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Website' }).waitFor()

  const other = await page.context().newPage()
  await other.goto('/projects')
  await other.getByRole('heading', { name: 'Projects' }).waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await other.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(lab.problems).toEqual([])
})
