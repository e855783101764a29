// @vitest-environment happy-dom
import type { Application, Health, Project, User } from '@berth/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeNetwork, Refusal, type Replies } from './fake-network.ts'
import { field, openPage, press, shows, text, type, until } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const OWNER: User = { id: 1, email: 'owner@example.com', role: 'owner', createdAt: AT }
const PROJECT: Project = { id: 1, name: 'Shop', description: '', tags: '', ownerId: 1, createdAt: AT, updatedAt: AT }

function application(given: Partial<Application>): Application {
  return {
    id: 7,
    name: 'worker',
    description: '',
    project_id: 1,
    app_type: 'service',
    port: 0,
    status: 'stopped',
    status_reason: '',
    is_deployed: false,
    slug: 'worker-shop',
    created_by: 1,
    created_at: AT,
    updated_at: AT,
    git_repository: '',
    git_branch: '',
    git_provider_id: null,
    git_clone_url: '',
    image: '',
    source_set_by: null,
    auto_deploy: true,
    watch_paths: [],
    deploy_hook: false,
    deploy_hook_by: null,
    deploy_key: '',
    host_key: '',
    poll_source: null,
    root_directory: '',
    builder: 'auto',
    install_command: '',
    build_command: '',
    start_command: '',
    output_directory: '',
    release_command: '',
    build_target: '',
    build_args: {},
    volumes: [],
    processes: [],
    build_secrets: [],
    submodules: false,
    lfs: false,
    dockerfile_path: null,
    deployment_strategy: 'rolling',
    restart_policy: 'unless-stopped',
    cpu_limit: null,
    memory_limit: null,
    replicas: 1,
    placement: '',
    template_name: '',
    healthcheck_path: '',
    domains: [],
    url: '',
    ...given,
  }
}

const HEALTH: Health = {
  status: 'ok',
  version: '0.1.0',
  uptime: 60,
  checks: { database: 'ok', engine: 'ok', edge: 'ok', queue: 'ok' },
  messages: {},
}

/** What every page behind the login asks for. */
const SHELL = {
  'auth.me': OWNER,
  'updates.version': { version: '0.1.0', commit: 'unknown', startedAt: AT },
  // Asked for ten seconds later, which a busy machine can take.
  'updates.check': { current: '0.1.0', latest: '0.1.0', available: false, notes: '', publishedAt: null, checkedAt: AT, message: '' },
} satisfies Replies
const ONE_SERVER = {
  isSwarm: false,
  servers: [],
  adding: { changes: [], ports: [], addresses: [], openUntil: null },
  message: '',
  placing: '',
  outages: [],
}
const ONE_APP = {
  ...SHELL,
  'projects.list': [PROJECT],
  'projects.get': { ...PROJECT, applications: [], members: [{ id: 1, email: OWNER.email, role: 'owner', addedAt: AT }] },
  'apps.get': application({}),
  'deployments.listByApp': [],
  'envs.list': [],
  'git.accounts': [],
  'servers.list': ONE_SERVER,
  'containers.status': { state: 'none', status: 'No container', id: '' },
  'figures.get': { from: AT, everySeconds: 60, cpu: [null], memory: [null], requests: [null], errors: [null], p50: [null], p99: [null] },
} satisfies Replies

afterEach(() => vi.unstubAllGlobals())

describe('logging in', () => {
  it('asks who is not logged in, says what was wrong, and goes on to the page that was asked for', async () => {
    let isLoggedIn = false
    const network = fakeNetwork({
      ...SHELL,
      'auth.me': () => (isLoggedIn ? OWNER : new Refusal(401, { error: 'You are not logged in.', code: 'not_signed_in' })),
      'auth.login': ({ password }) => {
        if (password !== 'right password') return new Refusal(401, { error: 'The password is wrong.', code: 'wrong_credentials' })
        isLoggedIn = true
        return { user: OWNER }
      },
      'projects.list': [PROJECT],
      'apps.listAll': [],
    })
    using _page = openPage('/projects')
    await type('Email', OWNER.email)
    await type('Password', 'wrong password')
    await press('Log in')
    await shows('The password is wrong.')
    await type('Password', 'right password')
    await press('Log in')
    await shows(PROJECT.name)
    expect(location.pathname).toBe('/projects')
    expect(network.unanswered).toEqual([])
  })

  it('checks the fields before it asks the server', async () => {
    const network = fakeNetwork({ 'auth.me': new Refusal(401, { error: 'You are not logged in.', code: 'not_signed_in' }) })
    using _page = openPage('/login')
    await type('Email', 'nobody')
    await press('Log in')
    await shows('Must be an email address.')
    expect(field('Email')?.getAttribute('aria-invalid')).toBe('true')
    expect(network.sent.map(({ name }) => name)).not.toContain('auth.login')
    expect(network.unanswered).toEqual([])
  })
})

describe('the projects page', () => {
  it('invites to create the first project where there is none', async () => {
    const network = fakeNetwork({ ...SHELL, 'projects.list': [], 'apps.listAll': [] })
    using _page = openPage('/projects')
    await shows('No projects yet')
    expect(network.unanswered).toEqual([])
  })
})

describe('the server of an app with data', () => {
  const place = {
    name: '',
    address: '',
    role: 'worker',
    isLeader: false,
    state: 'ready',
    availability: 'active',
    engine: '',
    cores: 1,
    edge: { state: 'off', message: '' },
  } as const
  const more = { memoryBytes: 1, cpu: null, memory: null, labels: [], runs: [], message: '', isChecked: true, checks: [], checkedAt: null }
  const servers = [
    { ...place, ...more, id: 'a', name: 'alpha', isThis: true },
    { ...place, ...more, id: 'b', name: 'beta', isThis: false },
  ]
  const data_server = { id: 'b', name: 'beta', move_problem: 'The app was not moved: there is no space left.' }

  it('is shown, with why the last move went back, and the app is moved after its name was typed', async () => {
    const moving = application({ data_server: { ...data_server, move_problem: '', moving_to: { id: 'this', name: '' } } })
    let isMoving = false
    const network = fakeNetwork({
      ...ONE_APP,
      'apps.get': () => (isMoving ? moving : application({ data_server })),
      'servers.list': { ...ONE_SERVER, isSwarm: true, servers },
      'apps.move': () => {
        isMoving = true
        return moving
      },
      'apps.stopMove': moving,
    })
    using _page = openPage('/apps/7/settings')
    await shows('The data of this app is on the server beta.')
    await shows('there is no space left')
    const isOfServers = ({ textContent }: HTMLSelectElement) => textContent.includes('Select a server')
    const select = await until(() => [...document.querySelectorAll('select')].find(isOfServers))
    select.value = 'this'
    select.dispatchEvent(new Event('change', { bubbles: true }))
    await press('Move…')
    await type('Type "worker" to confirm', 'worker')
    await press('Move')
    await shows('It is being moved to the server that Berth runs on.')
    expect(network.sent.find(({ name }) => name === 'apps.move')?.body).toEqual({ appId: 7, server: 'this' })
    await press('Stop move')
    await shows('Stopping…')
    expect(network.sent.find(({ name }) => name === 'apps.stopMove')?.body).toEqual({ appId: 7 })
  })
})

describe('a project with many apps', () => {
  it('finds one by its name', async () => {
    const applications = Array.from({ length: 60 }, (_, n) => application({ id: n + 1, name: `app-${n + 1}`, slug: `app-${n + 1}-shop` }))
    const network = fakeNetwork({
      ...ONE_APP,
      'projects.get': { ...ONE_APP['projects.get'], applications },
      'overview.get': { newestDeployments: [], running: [], troubledDomains: [], health: HEALTH },
    })
    using _page = openPage('/projects/1')
    await shows('app-60')
    await type('Search', 'app-42')
    await until(() => !text().includes('app-60'))
    await shows('app-42')
    await type('Search', 'nothing like this')
    await shows('No matching apps')
    expect(network.unanswered).toEqual([])
  })
})

describe('an app that does not run', () => {
  it('was stopped, or was never deployed, and can be found by that', async () => {
    const apps = [application({ id: 1, name: 'halted', is_deployed: true }), application({ id: 2, name: 'fresh' })]
    const network = fakeNetwork({
      ...ONE_APP,
      'apps.listAll': apps,
      'overview.get': { newestDeployments: [], running: [], troubledDomains: [], health: HEALTH },
    })
    using _page = openPage('/apps?state=not_deployed')
    await shows('fresh')
    const badges = () => [...document.querySelectorAll('main li')].map(({ textContent }) => textContent)
    expect(badges()).toEqual([expect.stringMatching(/fresh.*Not deployed yet/)])
    expect(network.unanswered).toEqual([])
  })

  it('says on its page that it was not deployed yet, or that it is stopped', async () => {
    for (const [isDeployed, label] of [
      [false, 'Not deployed yet'],
      [true, 'Stopped'],
    ] as const) {
      fakeNetwork({ ...ONE_APP, 'apps.get': application({ is_deployed: isDeployed }) })
      using _page = openPage('/apps/7')
      const header = () => document.querySelector('main h1')?.parentElement?.textContent ?? ''
      expect(await until(() => header().includes(label))).toBe(true)
    }
  })
})

describe('an app without a source', () => {
  it('asks for one, and cannot be deployed before', async () => {
    const network = fakeNetwork(ONE_APP)
    using _page = openPage('/apps/7')
    await shows('No source yet')
    const deploy = [...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === 'Deploy')
    expect(deploy?.disabled).toBe(true)
    expect(network.unanswered).toEqual([])
  })

  it('is none if it runs an image', async () => {
    const network = fakeNetwork({ ...ONE_APP, 'apps.get': application({ builder: 'image', image: 'registry.example/shop:1' }) })
    using _page = openPage('/apps/7')
    await shows('Deploy gets the source')
    expect(text()).not.toContain('No source yet')
    expect(text()).not.toMatch(/Metrics|Requests|Container/)
    expect(network.unanswered).toEqual([])
  })
})

describe('logs of an app without a source', () => {
  it('say what is missing, with the way to it', async () => {
    const network = fakeNetwork({ ...ONE_APP, 'containers.logs': { logs: '' } })
    using _page = openPage('/apps/7/logs')
    await shows('The app has no source to deploy yet.')
    const link = [...document.querySelectorAll('main a')].find(({ textContent }) => textContent.trim() === 'Add a source')
    expect(link?.getAttribute('href')).toBe('/apps/7/settings')
    expect(network.unanswered).toEqual([])
  })
})

describe('an app from a pasted Compose file', () => {
  it('shows the file first, and the fields of a repository on request', async () => {
    fakeNetwork({
      ...ONE_APP,
      'apps.get': application({ app_type: 'compose', port: 3000 }),
      'stacks.file': { composeFile: 'services: {}' },
    })
    using _page = openPage('/apps/7/settings')
    await shows('Use a repository instead')
    expect(text().indexOf('deployed from this file')).toBeLessThan(text().indexOf('Description'))
    expect(text()).toContain('The service that listens on this port gets the address.')
    expect(field('Clone URL')).toBeUndefined()
    await press('Use a repository instead')
    await until(() => field('Clone URL'))
  })
})

describe('deployments of an app that has none', () => {
  it('offer a source where there is none, and nothing to search', async () => {
    const network = fakeNetwork(ONE_APP)
    using _page = openPage('/apps/7/deployments')
    await shows('Add a source')
    expect(field('Search')).toBeUndefined()
    expect(network.unanswered).toEqual([])
  })

  it('keep the search that found nothing', async () => {
    fakeNetwork(ONE_APP)
    using _page = openPage('/apps/7/deployments?q=nothing')
    await shows('No results')
    expect(field('Search')?.value).toBe('nothing')
  })
})

describe('a new app from the list of apps', () => {
  const LIST = { ...ONE_APP, 'apps.listAll': [] } satisfies Replies
  const link = () => document.querySelector<HTMLAnchorElement>('a[href="/projects/1/new"]') ?? undefined

  it('goes into the only project', async () => {
    fakeNetwork(LIST)
    using _page = openPage('/apps')
    expect((await until(link)).textContent).toBe('New app')
  })

  it('asks for the project where there are several', async () => {
    fakeNetwork({ ...LIST, 'projects.list': [PROJECT, { ...PROJECT, id: 2, name: 'Blog' }] })
    using _page = openPage('/apps')
    await press('New app')
    await press('Continue')
    await until(() => location.pathname !== '/apps')
    expect(location.pathname).toBe('/projects/1/new')
  })
})

describe('an app without a port', () => {
  it('shows no port', async () => {
    const network = fakeNetwork({ ...ONE_APP, 'apps.get': application({ is_deployed: true }) })
    using _page = openPage('/apps/7')
    await shows('worker-shop')
    await shows('No data yet')
    expect(text()).not.toContain(':0')
    expect(network.unanswered).toEqual([])
  })

  it('can be saved without giving it one', async () => {
    const network = fakeNetwork({ ...ONE_APP, 'apps.update': application({}) })
    using _page = openPage('/apps/7/settings')
    expect((await until(() => field('Port'))).value).toBe('')
    await type('Name', 'worker two')
    await press('Save', () => field('Port')?.form)
    await until(() => network.sent.some(({ name }) => name === 'apps.update'))
    expect(network.sent.find(({ name }) => name === 'apps.update')?.body).toMatchObject({ appId: 7, port: null })
    expect(network.unanswered).toEqual([])
  })
})

describe('a save that the server refuses', () => {
  it('shows the problem at its field, and nothing above the button', async () => {
    const details = [{ field: 'port', message: 'must be a port that no other app of the project uses' }]
    const network = fakeNetwork({
      ...ONE_APP,
      'apps.update': new Refusal(400, { error: 'The port is taken.', code: 'invalid_request', details }),
    })
    using _page = openPage('/apps/7/settings')
    await type('Port', '8080')
    await press('Save', () => field('Port')?.form)
    const problem = await until(() => document.getElementById(`${field('Port')?.id}-problem`) ?? undefined)
    expect(problem.textContent).toBe('Must be a port that no other app of the project uses.')
    expect(field('Port')?.getAttribute('aria-describedby')).toContain(problem.id)
    expect(document.querySelector('[role=alert]')).toBeNull()
    expect(network.unanswered).toEqual([])
  })

  it('shows a failure of the whole form above the button', async () => {
    fakeNetwork({ ...ONE_APP, 'apps.update': new Refusal(503, { error: 'The disk is full.', code: 'disk_full' }) })
    using _page = openPage('/apps/7/settings')
    await type('Name', 'worker two')
    await press('Save', () => field('Port')?.form)
    const alert = await until(() => document.querySelector('[role=alert]') ?? undefined)
    expect(alert.textContent).toBe('The disk is full.')
  })
})
