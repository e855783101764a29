import { mkdir, mkdtempDisposable } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { startBrowserLab } from '../e2e/browser-lab.ts'
import { ERRORS } from '../packages/contract/src/errors.ts'
import { startGitHost } from '../packages/server/testing/git-host/start-git-host.ts'
import { startImageRegistry } from '../packages/server/testing/harness/image-registry.ts'
import { steadily } from '../packages/server/testing/harness/retry-navigation.ts'
import { ensureNodeBase } from '../packages/server/testing/images/base-images.ts'
import { makeCrowd } from './dashboard-crowd.ts'
import { makePlaces } from './dashboard-places.ts'
import { makeWorld } from './dashboard-world.ts'
import { say } from './lib/numbers.ts'

/** Takes pictures of every page of the dashboard as `npm run build` left it, with a real server and real apps: `--into=<directory> --only=<name>`. */
const flag = (name: string): string | undefined => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
const into = flag('into') ?? '/tmp/berth-pictures'
const only = flag('only')

const LOOKS = [
  { name: 'light-desktop', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark-desktop', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'light-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'dark-phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

/** Plots fill slowly, and a failing request is retried before it is given up. */
const SETTLE_MS: Record<string, number> = {
  overview: 40_000,
  project: 30_000,
  app: 30_000,
  database: 20_000,
  'apps-error': 8000,
  'deployments-error': 8000,
  services: 10_000,
  'stack-logs': 10_000,
  'logs-processes': 10_000,
  'app-processes': 20_000,
}
const AT_ONCE = 4

/** The build writes the version in; a server from the sources finds it where it would be. */
const { version } = createRequire(import.meta.url)('../package.json') as { version: string } // our own file
const asReleased = `data:text/javascript,${encodeURIComponent(`globalThis.__BERTH_VERSION__='${version}'`)}`

/** On a disk, where the tests have it in memory: its size is shown. */
await using folder = await mkdtempDisposable(path.join(tmpdir(), 'berth-pictures-'))
await using host = await startGitHost('github')
await using registry = await startImageRegistry()
const env = { ...host.env, BERTH_PRIVATE_SOURCES: `localhost,127.0.0.1,${registry.address}`, NODE_OPTIONS: `--import=${asReleased}` }
await using lab = await startBrowserLab({ withEdge: true, dataDir: folder.path, env })
await using _nodeBase = await ensureNodeBase(lab.engine, 22)
const member = await lab.berth.as('lena')

/** `before` is done to the page while it is empty, `after` once it is there. */
type Shot = { name: string; path: string; before?: (page: Page) => Promise<unknown>; after?: (page: Page) => Promise<unknown> }
const hold = (pattern: string) => async (page: Page) => await page.route(pattern, () => new Promise(() => {}))
const broken = (pattern: string) => async (page: Page) =>
  await page.route(
    pattern,
    async (route) => await route.fulfill({ status: 500, json: { success: false, code: 'internal', error: ERRORS.internal.message } }),
  )

async function tabTimes(page: Page, times: number): Promise<void> {
  for (let pressed = 0; pressed < times; pressed += 1) await page.keyboard.press('Tab')
}

async function makeAll() {
  const world = await makeWorld(lab)
  const places = await makePlaces(lab, { host, registry }, world.project.id)
  return { ...world, ...places, ...(await makeCrowd(lab, world.articlesRelease)) }
}

type World = Awaited<ReturnType<typeof makeAll>>

/** Stacks, storage, accounts, and what is long or many. */
function placesOf(world: World): Record<string, string> {
  const { project, stack, stackDeployment, api, apiDeployment, pushed, account, articles, fresh, crowded, long, jobs, jobsDeployment } =
    world
  const stackAt = (rest: string) => `/apps/${stack.id}${rest}`
  const apiAt = (rest: string) => `/apps/${api.id}${rest}`
  return {
    'app-stack': stackAt(''),
    services: stackAt('/services'),
    'stack-logs': stackAt('/logs'),
    'stack-domains': stackAt('/domains'),
    'stack-settings': stackAt('/settings'),
    'stack-deployment': stackAt(`/deployments/${stackDeployment}`),
    'app-replicas': apiAt(''),
    'logs-replicas': apiAt('/logs'),
    'environment-references': apiAt('/environment'),
    'deployment-plan': apiAt(`/deployments/${apiDeployment}`),
    'replicas-settings': apiAt('/settings'),
    'app-processes': `/apps/${jobs.id}`,
    'logs-processes': `/apps/${jobs.id}/logs`,
    'processes-deployment': `/apps/${jobs.id}/deployments/${jobsDeployment}`,
    storage: apiAt('/storage'),
    'storage-empty': `/apps/${fresh.id}/storage`,
    webhooks: `/apps/${pushed.id}/webhooks`,
    'account-git': '/account/git',
    'account-registries': '/account/registries',
    'project-git': `/projects/${project.id}/git`,
    'project-registries': `/projects/${project.id}/registries`,
    'git-account': `/projects/${project.id}/git/${account.id}`,
    'deployments-many': `/apps/${articles.id}/deployments`,
    'project-crowded': `/projects/${crowded.id}`,
    'app-long': `/apps/${long.id}`,
    'environment-long': `/apps/${long.id}/environment`,
    'domains-long': `/apps/${long.id}/domains`,
    docs: '/docs',
  }
}

function pagesOf(world: World): Record<string, string> {
  const { project, web, postgres, failed, live, first, broken: crashed, fresh, building, running, empty } = world
  const app = (rest: string) => `/apps/${web.id}${rest}`
  return {
    ...placesOf(world),
    overview: '/',
    projects: '/projects',
    'projects-list': '/projects?view=list',
    project: `/projects/${project.id}`,
    'project-empty': `/projects/${empty.id}`,
    'project-variables': `/projects/${project.id}/variables`,
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
    templates: '/templates',
    settings: '/admin/settings',
    audit: '/admin/audit',
    health: '/admin/health',
    'not-found': '/nowhere',
    'app-gone': '/apps/999999',
  }
}

async function shotsOf(world: World): Promise<Shot[]> {
  const { project, web, api, jobs, pushed, repository, monorepo, detectable } = world
  const cloneUrl = (url: string) => async (page: Page) => {
    await page.getByText('Clone URL', { exact: true }).first().click() // there is a Git account, which comes first
    await page.getByLabel('Clone URL').last().fill(url)
  }
  const newApp = `/projects/${project.id}/new`
  const app = (rest: string) => `/apps/${web.id}${rest}`
  return [
    ...Object.entries(pagesOf(world)).map(([name, address]) => ({ name, path: address })),
    { name: 'overview-loading', path: '/', before: hold('**/api/apps') },
    { name: 'app-loading', path: app(''), before: hold('**/api/apps/get/id') },
    { name: 'apps-error', path: '/apps', before: broken('**/api/apps') },
    { name: 'deployments-error', path: app('/deployments'), before: broken('**/api/deployment/getByAppId') },
    { name: 'palette', path: '/', after: async (page) => await page.keyboard.press('Control+k') },
    { name: 'shortcuts', path: '/projects', after: async (page) => await page.keyboard.press('?') },
    { name: 'new-app-source', path: newApp, after: cloneUrl(repository.url) },
    { name: 'new-app-misplaced', path: newApp, after: cloneUrl(monorepo.url) },
    { name: 'new-app-unreachable', path: newApp, after: cloneUrl(`${monorepo.url}x`) },
    { name: 'new-app-detected', path: newApp, after: cloneUrl(detectable.url) },
    { name: 'new-compose', path: newApp, after: async (page) => await page.getByText('Several containers').click() },
    { name: 'new-database', path: newApp, after: async (page) => await page.getByText('From a template').click() },
    {
      name: 'environment-diff',
      path: app('/environment?view=text'),
      after: async (page) => await page.getByRole('textbox').fill('PUBLIC_URL=https://www.shop.example.com\nNEW_KEY=1\nLOG_LEVEL=debug\n'),
    },
    { name: 'environment-edit', path: app('/environment'), after: async (page) => await page.getByLabel('Edit LOG_LEVEL').click() },
    { name: 'domain-certificate', path: app('/domains'), after: async (page) => await page.getByText('Use your own').first().click() },
    { name: 'audit-details', path: '/admin/audit', after: async (page) => await page.getByText('Details').nth(1).click() },
    { name: 'app-delete', path: app('/danger'), after: async (page) => await page.getByRole('button', { name: 'Delete' }).last().click() },
    { name: 'user-new', path: '/admin/users', after: async (page) => await page.getByRole('button', { name: 'Invite user' }).click() },
    { name: 'project-new', path: '/projects', after: async (page) => await page.getByRole('button', { name: 'New project' }).click() },
    { name: 'app-menu', path: app(''), after: async (page) => await page.getByLabel('More actions').click() },
    { name: 'disk-clean', path: '/admin/health', after: async (page) => await page.getByRole('button', { name: 'Clean up' }).click() },
    { name: 'doctor', path: '/admin/health', after: async (page) => await page.getByRole('button', { name: 'Run checks' }).click() },
    {
      name: 'volume-new',
      path: `/apps/${api.id}/storage`,
      after: async (page) => await page.getByRole('button', { name: 'Add volume' }).click(),
    },
    {
      name: 'file-new',
      path: `/apps/${api.id}/storage`,
      after: async (page) => await page.getByRole('button', { name: 'Add file' }).click(),
    },
    {
      name: 'delivery',
      path: `/apps/${pushed.id}/webhooks`,
      after: async (page) => await page.getByRole('button', { name: 'Details' }).first().click(),
    },
    {
      name: 'processes-settings',
      path: `/apps/${jobs.id}/settings`,
      after: async (page) => await page.getByLabel('Processes').scrollIntoViewIfNeeded(),
    },
    { name: 'keyboard', path: app('/settings'), after: async (page) => await tabTimes(page, 22) },
    { name: 'menu', path: '/', after: async (page) => await page.getByLabel('Menu', { exact: true }).first().click({ timeout: 2000 }) },
  ]
}

/** One at a time: of a page behind another the browser may still hold the tiles of its former size. */
let camera = Promise.resolve()

async function photograph(page: Page, file: string): Promise<void> {
  await page.bringToFront()
  // A dialog lies over what is in sight, and so does what the keyboard has scrolled to.
  if (await page.evaluate<boolean>('document.querySelector("dialog[open]") !== null || scrollY > 0')) {
    await page.screenshot({ path: file })
    return
  }
  const height = await page.evaluate<number>('Math.min(document.documentElement.scrollHeight, 2600)')
  const { width } = page.viewportSize() ?? { width: 1280 }
  await page.screenshot({ path: file, clip: { x: 0, y: 0, width, height: Math.max(height, 844) }, fullPage: true })
}

async function take(context: BrowserContext, look: string, { name, path: address, before, after }: Shot): Promise<void> {
  const page = await context.newPage()
  try {
    await before?.(page)
    await steadily(async () => await page.goto(address))
    await sleep(SETTLE_MS[name] ?? 3000)
    // The menu is a button on a phone only.
    await after?.(page).catch((cause: unknown) => say(`${look} ${name}: ${String(cause).split('\n')[0]}`))
    if (after) await sleep(2500)
    camera = camera.then(async () => await photograph(page, `${into}/${look}/${name}.png`))
    await camera
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
  { name: 'join', path: '/join#token=abc&email=new@example.test' },
])
await pictures({ email: 'owner@example.test', password: 'owner-password-1' }, [
  { name: 'overview-empty', path: '/' },
  { name: 'projects-empty', path: '/projects' },
])
const world = await makeAll()
say('the world is made')
await pictures({ email: member.email, password: 'a-good-password' }, [
  { name: 'member-overview', path: '/' },
  { name: 'member-admin', path: '/admin/users' },
])
await pictures({ email: 'owner@example.test', password: 'owner-password-1' }, await shotsOf(world))
