import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { startBrowserLab } from '../e2e/browser-lab.ts'
import { makeWorld } from './dashboard-world.ts'
import { say } from './lib/numbers.ts'

/** Pictures of every page of the dashboard, of a real server with real apps, to be looked at: `--into=<directory> --only=<name>`. */
const flag = (name: string): string | undefined => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
const into = flag('into') ?? '/tmp/berth-pictures'
const only = flag('only')

const LOOKS = [
  { name: 'light-desktop', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark-desktop', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'light-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'dark-phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

/** Plots fill slowly, and a failing question is asked again before it is given up. */
const SETTLE_MS: Record<string, number> = {
  overview: 40_000,
  project: 30_000,
  app: 30_000,
  database: 20_000,
  'apps-error': 8000,
  'deployments-error': 8000,
}
const AT_ONCE = 4

await using lab = await startBrowserLab({ withEdge: true })
const member = await lab.berth.as('lena')

type Shot = { name: string; path: string; before?: (page: Page) => Promise<unknown> }
const hold = (pattern: string) => async (page: Page) => await page.route(pattern, () => new Promise(() => {}))
const broken = (pattern: string) => async (page: Page) =>
  await page.route(
    pattern,
    async (route) => await route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'Something went wrong.' } } }),
  )

async function shotsOf(world: Awaited<ReturnType<typeof makeWorld>>): Promise<Shot[]> {
  const { project, web, postgres, failed, live, first, broken: crashed, fresh, building, running, empty } = world
  const app = (rest: string) => `/apps/${web.id}${rest}`
  const pages: Record<string, string> = {
    overview: '/',
    projects: '/projects',
    project: `/projects/${project.id}`,
    'project-empty': `/projects/${empty.id}`,
    'project-members': `/projects/${project.id}/members`,
    'project-settings': `/projects/${project.id}/settings`,
    'new-app': `/projects/${project.id}/new`,
    apps: '/apps',
    app: app(''),
    'app-crashed': `/apps/${crashed.id}`,
    'app-fresh': `/apps/${fresh.id}`,
    'app-building': `/apps/${building.id}`,
    database: `/apps/${postgres.id}`,
    deployments: app('/deployments'),
    'deployments-empty': `/apps/${fresh.id}/deployments`,
    'deployment-live': app(`/deployments/${live}`),
    'deployment-failed': app(`/deployments/${failed}`),
    'deployment-running': `/apps/${building.id}/deployments/${running.id}`,
    compare: app(`/compare?from=${first}&to=${live}`),
    logs: app('/logs'),
    'logs-empty': `/apps/${fresh.id}/logs`,
    environment: app('/environment'),
    'environment-text': app('/environment?view=text'),
    'environment-empty': `/apps/${fresh.id}/environment`,
    domains: app('/domains'),
    'domains-empty': `/apps/${fresh.id}/domains`,
    'app-settings': app('/settings'),
    'app-danger': app('/danger'),
    account: '/account',
    users: '/admin/users',
    templates: '/admin/templates',
    settings: '/admin/settings',
    audit: '/admin/audit',
    health: '/admin/health',
    'not-found': '/nowhere',
    'app-gone': '/apps/999999',
  }
  return [
    ...Object.entries(pages).map(([name, path]) => ({ name, path })),
    { name: 'overview-loading', path: '/', before: hold('**/api/apps') },
    { name: 'app-loading', path: app(''), before: hold('**/api/apps/get/id') },
    { name: 'apps-error', path: '/apps', before: broken('**/api/apps') },
    { name: 'deployments-error', path: app('/deployments'), before: broken('**/api/deployment/getByAppId') },
    {
      name: 'palette',
      path: '/',
      before: async (page) => void page.once('load', () => setTimeout(() => void page.keyboard.press('Control+k'), 2000)),
    },
    {
      name: 'new-database',
      path: `/projects/${project.id}/new`,
      before: async (page) => void page.once('load', () => setTimeout(() => void page.getByText('From a template').click(), 1500)),
    },
  ]
}

async function take(context: BrowserContext, look: string, { name, path, before }: Shot): Promise<void> {
  const page = await context.newPage()
  try {
    await before?.(page)
    await page.goto(path)
    await sleep(SETTLE_MS[name] ?? 3000)
    const height = await page.evaluate<number>('Math.min(document.documentElement.scrollHeight, 2600)')
    const { width } = page.viewportSize() ?? { width: 1280 }
    await page.screenshot({
      path: `${into}/${look}/${name}.png`,
      clip: { x: 0, y: 0, width, height: Math.max(height, 844) },
      fullPage: true,
    })
  } finally {
    await page.close()
  }
}

async function pictures(cookieOwner: { email: string; password: string } | undefined, shots: readonly Shot[]): Promise<void> {
  for (const { name: look, ...options } of LOOKS) {
    await mkdir(`${into}/${look}`, { recursive: true })
    const context = await lab.browser.newContext({ ...options, baseURL: lab.berth.baseUrl, reducedMotion: 'reduce' })
    if (cookieOwner !== undefined)
      await context.request.post('/api/auth/login', { data: cookieOwner, headers: { origin: lab.berth.baseUrl } })
    const waiting = shots.filter(({ name }) => only === undefined || only.split(',').includes(name))
    const work = async (): Promise<void> => {
      for (let shot = waiting.shift(); shot !== undefined; shot = waiting.shift()) await take(context, look, shot)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await context.close()
    say(`${look}: done`)
  }
}

await pictures(undefined, [
  { name: 'login', path: '/login' },
  { name: 'setup', path: '/setup#token=abc' },
])
await pictures({ email: 'owner@example.test', password: 'owner-password-1' }, [
  { name: 'overview-empty', path: '/' },
  { name: 'projects-empty', path: '/projects' },
])
const world = await makeWorld(lab)
say('the world is made')
await pictures({ email: member.email, password: 'a-good-password' }, [
  { name: 'member-overview', path: '/' },
  { name: 'member-admin', path: '/admin/users' },
])
await pictures({ email: 'owner@example.test', password: 'owner-password-1' }, await shotsOf(world))
