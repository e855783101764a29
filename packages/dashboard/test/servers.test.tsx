// @vitest-environment happy-dom
import type { Server, Servers, User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, Refusal, type Replies } from './fake-network.ts'
import { field, openPage, press, shows, text, type, until } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const OWNER: User = { id: 1, email: 'owner@example.com', role: 'owner', createdAt: AT }
const HERE: Server = {
  id: 'this',
  name: 'alpha',
  address: '',
  isThis: true,
  role: 'manager',
  isLeader: true,
  state: 'ready',
  availability: 'active',
  engine: '29.1.0',
  cores: 2,
  memoryBytes: 4 * 1024 ** 3,
  cpu: 12,
  memory: 40,
  labels: [],
  runs: [{ appId: 7, appName: 'shop', containers: 2 }],
  message: '',
  edge: { state: 'current', message: '' },
  isChecked: true,
  checks: [],
  checkedAt: null,
}
const ADDING = { changes: ['Docker is switched to Swarm mode.'], ports: ['2377/tcp'], addresses: ['198.51.100.1'], openUntil: null }
const ALONE: Servers = { isSwarm: false, servers: [HERE], message: '', placing: '', outages: [], adding: ADDING }
const OTHER: Server = {
  ...HERE,
  id: 'b2',
  name: 'beta',
  address: '198.51.100.2',
  isThis: false,
  role: 'worker',
  isLeader: false,
  edge: { state: 'off', message: '' },
  cpu: null,
  memory: null,
  labels: ['ssd'],
  runs: [],
  checks: [{ check: 'clock', level: 'warning', message: '5 s behind this server.', toDo: 'Set the clock of beta.' }],
  checkedAt: AT,
}
const TWO: Servers = { ...ALONE, isSwarm: true, servers: [{ ...HERE, id: 'a1' }, OTHER], adding: { ...ADDING, changes: [] } }
const SHELL = {
  'auth.me': { ...OWNER, cursor: 0 },
  'updates.version': { version: '1.0.0', commit: 'abc', startedAt: AT },
  'updates.check': { current: '1.0.0', latest: '1.0.0', available: false, notes: '', publishedAt: null, checkedAt: AT, message: '' },
} satisfies Replies

afterEach(() => {
  vi.unstubAllGlobals()
})

it('one server is shown with its load and its apps, and another one is added after consent', async () => {
  const sent = { command: 'curl … && docker swarm join …', openUntil: AT }
  const network = fakeNetwork({ ...SHELL, 'servers.list': ALONE, 'servers.add': sent })
  using _page = openPage('/admin/servers')
  await shows('2 cores, 12% used')
  await shows('shop (2 containers)')
  expect(text()).not.toContain('Manager, leader')
  await press('Add server')
  await shows('Docker is switched to Swarm mode.')
  expect(field('Address of this server that the others use')?.value).toBe('198.51.100.1')
  const agree = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === 'Switch Swarm on')
  expect((await until(agree)).disabled).toBe(true)
  ;(await until(() => field('I agree to switch Docker on this server to Swarm mode.'))).click()
  await until(() => agree()?.disabled === false)
  await press('Switch Swarm on')
  await shows(sent.command)
  expect(network.sent.find(({ name }) => name === 'servers.add')?.body).toEqual({ consent: true, address: '198.51.100.1' })
})

it('which of several addresses the others use is not chosen for the owner', async () => {
  const addresses = ['198.51.100.1', '10.0.0.1']
  fakeNetwork({ ...SHELL, 'servers.list': { ...ALONE, adding: { ...ADDING, addresses } } })
  using _page = openPage('/admin/servers')
  await press('Add server')
  const address = await until(() => field('Address of this server that the others use'))
  expect(address.value).toBe('')
  await shows('This server has 198.51.100.1, 10.0.0.1.')
  ;(await until(() => field('I agree to switch Docker on this server to Swarm mode.'))).click()
  const agree = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === 'Switch Swarm on')
  expect((await until(agree)).disabled).toBe(true)
  await type('Address of this server that the others use', '10.0.0.1')
  await until(() => agree()?.disabled === false)
})

it('of several servers each has its role, its labels and its checks, and a refusal is shown', async () => {
  const network = fakeNetwork({
    ...SHELL,
    'servers.list': TWO,
    'servers.update': new Refusal(409, { error: 'beta cannot be drained.', code: 'server_refused' }),
  })
  using _page = openPage('/admin/servers')
  await shows('beta')
  expect(text()).not.toMatch(/Not checked|Check failed/)
  for (const words of ['Manager, leader', 'Worker', 'ssd', '5 s behind this server.', 'Set the clock of beta.', 'This server'])
    await shows(words)
  const menu = await until(() => document.querySelector<HTMLButtonElement>('[aria-label="Actions for beta"]') ?? undefined)
  menu.click()
  await press('DrainMove its containers to other servers')
  await shows('beta cannot be drained.')
  expect(network.sent.find(({ name }) => name === 'servers.update')?.body).toEqual({ serverId: 'b2', availability: 'drain' })
})

it('the edge of another server is switched on and off, and says what is wrong with it', async () => {
  const edge = { state: 'behind', message: 'Port 80 is taken.' } as const
  const others = [OTHER, { ...OTHER, id: 'c3', name: 'gamma', edge }]
  const network = fakeNetwork({
    ...SHELL,
    'servers.list': { ...TWO, servers: [...TWO.servers.slice(0, 1), ...others] },
    'servers.update': { ...OTHER, edge: { state: 'behind', message: 'It is being started.' } },
  })
  using _page = openPage('/admin/servers')
  for (const words of ['On, up to date', 'Off', 'On, not up to date', 'Edge: Port 80 is taken.']) await shows(words)
  ;(await until(() => document.querySelector<HTMLButtonElement>('[aria-label="Actions for beta"]') ?? undefined)).click()
  await press('Switch edge onVisitors can come in here')
  await shows('The edge of beta is being started.')
  expect(network.sent.find(({ name }) => name === 'servers.update')?.body).toEqual({ serverId: 'b2', edge: true })
  ;(await until(() => document.querySelector<HTMLButtonElement>('[aria-label="Actions for gamma"]') ?? undefined)).click()
  await shows('Switch edge off')
})

it('a server that has not passed a check says so', async () => {
  const others = [
    { ...OTHER, isChecked: false, checks: [], checkedAt: null },
    { ...OTHER, id: 'c3', name: 'gamma', isChecked: false },
  ]
  fakeNetwork({ ...SHELL, 'servers.list': { ...TWO, servers: [...TWO.servers.slice(0, 1), ...others] } })
  using _page = openPage('/admin/servers')
  await shows('Not checked')
  expect(text()).toContain('Check failed')
})

it('the last check of a server that is down is folded away, and its menu ends with Remove', async () => {
  const down: Server = { ...OTHER, state: 'down', message: 'It does not answer.' }
  fakeNetwork({ ...SHELL, 'servers.list': { ...TWO, servers: [...TWO.servers.slice(0, 1), down] } })
  using _page = openPage('/admin/servers')
  await shows('before it went down')
  expect(document.querySelector('main details')?.hasAttribute('open')).toBe(false)
  expect(document.querySelector('main details')?.textContent).toContain('5 s behind this server.')
  ;(await until(() => document.querySelector<HTMLButtonElement>('[aria-label="Actions for beta"]') ?? undefined)).click()
  await shows('Remove…')
  expect([...document.querySelectorAll('[role=menuitem]')].at(-1)?.textContent).toBe('Remove…')
})

it('outages are shown with how many containers moved', async () => {
  const outages = [
    { id: 2, serverName: 'beta', lostAt: AT, endedAt: null, containers: 3, moved: 2 },
    { id: 1, serverName: 'gamma', lostAt: AT, endedAt: '2026-01-02T03:06:05.000Z', containers: 1, moved: 1 },
  ]
  fakeNetwork({ ...SHELL, 'servers.list': { ...TWO, outages } })
  using _page = openPage('/admin/servers')
  await shows('2 of 3 containers moved to other servers so far')
  await shows('1 of 1 container moved to other servers')
  expect(text()).toContain('for 2 min')
})
