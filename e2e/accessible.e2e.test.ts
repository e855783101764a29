import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { httpdApp } from '../packages/server/testing/images/test-images.ts'
import { type BrowserLab, startBrowserLab } from './browser-lab.ts'

type Violation = { id: string; impact: string | null; nodes: { target: unknown[]; html: string }[] }

let lab: BrowserLab
let page: Page
let pages: string[]
let axeSource: string

beforeAll(async () => {
  lab = await startBrowserLab()
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
  await owner.call('domains.create', { appId: app.id, domain: 'shop.example.com' })
  const deployment = await owner.call('deployments.create', { appId: app.id })
  await vi.waitUntil(async () => (await owner.call('deployments.get', { id: deployment.id })).status === 'success', {
    timeout: 60_000,
    interval: 500,
  })
  pages = [
    '/',
    '/projects',
    `/projects/${project.id}`,
    `/projects/${project.id}/variables`,
    `/projects/${project.id}/members`,
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
      '/domains',
      '/settings',
      '/danger',
    ].map((rest) => `/apps/${app.id}${rest}`),
    `/apps/${database.id}`,
    '/account',
    ...['/users', '/templates', '/settings', '/audit', '/health'].map((rest) => `/admin${rest}`),
    '/nowhere',
    '/login',
    '/setup',
  ]
  page = await lab.signedIn()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

async function violations(path: string): Promise<string[]> {
  await page.goto(path)
  await page.locator('main').first().waitFor()
  await page.waitForLoadState('networkidle').catch(() => undefined) // live pages keep their sockets open
  await page.evaluate(axeSource)
  const found = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe // put there by the line above
    return (await axe.run()).violations
  })
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html ?? ''}`)
}

it.each(['light', 'dark'] as const)(
  'has nothing serious to be found by axe on any page, in %s',
  async (colorScheme) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const found: string[] = []
    for (const path of pages) found.push(...(await violations(path)))
    expect(found).toEqual([])
  },
  180_000,
)

it('fits on a phone: no page scrolls sideways', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  const wide: string[] = []
  for (const path of pages) {
    await page.goto(path)
    await page.locator('main').first().waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    if (width > 390) wide.push(`${path} is ${width} px wide`)
  }
  expect(wide).toEqual([])
  expect(lab.problems).toEqual([])
}, 120_000)
