import type { Page } from 'playwright-core'
import { ERRORS } from '../packages/contract/src/errors.ts'
import type { makeCrowd } from './dashboard-crowd.ts'
import type { makePlaces } from './dashboard-places.ts'
import { type Shot, statesOf } from './dashboard-states.ts'
import type { makeWorld } from './dashboard-world.ts'

/** A repository is cloned to see what is in it. */
const CHECKED_MS = 30_000

const hold = (pattern: string) => async (page: Page) => await page.route(pattern, () => new Promise(() => {}))
const broken = (pattern: string) => async (page: Page) =>
  await page.route(
    pattern,
    async (route) => await route.fulfill({ status: 500, json: { success: false, code: 'internal', error: ERRORS.internal.message } }),
  )

async function tabTimes(page: Page, times: number): Promise<void> {
  for (let pressed = 0; pressed < times; pressed += 1) await page.keyboard.press('Tab')
}

/** Everything that the pages show. */
export type World = Awaited<ReturnType<typeof makeWorld>> & Awaited<ReturnType<typeof makePlaces>> & Awaited<ReturnType<typeof makeCrowd>>

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

/** A new app, with what the repository tells. */
function wizardOf({ project, repository, monorepo, detectable, withProcfile }: World): Shot[] {
  /** `shown` is what the result of the check has. */
  const cloneUrl = (url: string, shown: string) => async (page: Page) => {
    await page.getByText('Clone URL', { exact: true }).first().click() // there is a Git account, which comes first
    await page.getByRole('textbox', { name: 'Clone URL' }).fill(url)
    await page.locator(shown).first().waitFor({ timeout: CHECKED_MS })
  }
  const newApp = `/projects/${project.id}/new`
  return [
    { name: 'new-app-source', path: newApp, after: cloneUrl(repository.url, 'text=Dockerfile found') },
    { name: 'new-app-misplaced', path: newApp, after: cloneUrl(monorepo.url, 'text=Choose a Dockerfile') },
    { name: 'new-app-unreachable', path: newApp, after: cloneUrl(`${monorepo.url}x`, '.text-bad') },
    { name: 'new-app-detected', path: newApp, after: cloneUrl(detectable.url, 'text=Detected from') },
    {
      name: 'new-app-processes',
      path: newApp,
      after: async (page) => {
        await cloneUrl(withProcfile.url, 'text=Run worker')(page)
        await page.getByRole('button', { name: 'Run worker' }).click()
      },
    },
    { name: 'new-compose', path: newApp, after: async (page) => await page.getByText('Several containers').click() },
    { name: 'new-database', path: newApp, after: async (page) => await page.getByText('From a template').click() },
  ]
}

export function shotsOf(world: World): Shot[] {
  const { web, api, jobs, pushed } = world
  const app = (rest: string) => `/apps/${web.id}${rest}`
  return [
    ...Object.entries(pagesOf(world)).map(([name, address]) => ({ name, path: address })),
    ...statesOf(app('/settings')),
    { name: 'overview-loading', path: '/', before: hold('**/api/apps') },
    { name: 'app-loading', path: app(''), before: hold('**/api/apps/get/id') },
    { name: 'apps-error', path: '/apps', before: broken('**/api/apps') },
    { name: 'deployments-error', path: app('/deployments'), before: broken('**/api/deployment/getByAppId') },
    { name: 'palette', path: '/', after: async (page) => await page.keyboard.press('Control+k') },
    { name: 'shortcuts', path: '/projects', after: async (page) => await page.keyboard.press('?') },
    ...wizardOf(world),
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
    {
      name: 'doctor',
      path: '/admin/health',
      after: async (page) => {
        await page.getByRole('button', { name: 'Run checks' }).click()
        await page.getByText('Docker', { exact: true }).last().waitFor({ timeout: 60_000 })
      },
    },
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
      after: async (page) => await page.getByText('Other processes').scrollIntoViewIfNeeded(),
    },
    { name: 'keyboard', path: app('/settings'), after: async (page) => await tabTimes(page, 22) },
    { name: 'menu', path: '/', after: async (page) => await page.getByLabel('Menu', { exact: true }).first().click({ timeout: 2000 }) },
  ]
}
