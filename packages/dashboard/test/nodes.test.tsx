// @vitest-environment happy-dom
import type { ControlPlane, Health, User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, type Replies } from './fake-network.ts'
import { openPage, press, shows, text, until } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const ADMIN: User = { id: 1, email: 'admin@example.com', role: 'admin', createdAt: AT }
const AWAY = { isThis: false, state: 'away', runsLoops: false, jobs: 0, isEdgeStopped: true } as const
const HEALTH: Health = {
  status: 'ok',
  version: '1.4.0',
  uptime: 60,
  checks: { database: 'ok', engine: 'ok', edge: 'ok', queue: 'ok' },
  messages: {},
}
const HERE: ControlPlane = {
  name: 'alpha',
  isThis: true,
  state: 'running',
  version: '1.4.0',
  startedAt: AT,
  lastSeenAt: AT,
  runsLoops: true,
  jobs: 2,
  isEdgeStopped: false,
}
const REPLIES = {
  'auth.me': ADMIN,
  'updates.version': { version: '1.4.0', commit: 'unknown', startedAt: AT },
  health: HEALTH,
  'ports.list': [],
  'nodes.list': [],
  'disk.usage': { kinds: [], oldReleases: 0 },
} satisfies Replies

const OWNERS = {
  'auth.me': { ...ADMIN, role: 'owner' },
  'updates.check': { current: '1.4.0', latest: '1.4.0', available: false, notes: '', publishedAt: null, checkedAt: AT, message: '' },
  'updates.status': { state: 'idle', from: '', to: '', phase: '', startedAt: null, endedAt: null, error: '', log: [] },
  'updates.history': [],
  'backups.list': { directory: '/backups', restoreCommand: 'berth-server restore', backups: [], nextAt: null, error: '' },
} satisfies Replies

afterEach(() => vi.unstubAllGlobals())

it('shows several control planes: which one this is, what it does, and which one is away', async () => {
  fakeNetwork({ ...REPLIES, 'nodes.list': [HERE, { ...HERE, ...AWAY, name: 'beta' }] })
  using _page = openPage('/admin/health')
  await shows('alphaThis nodeRuns the single loops')
  expect(text()).toMatch(/Berth 1\.4\.0, started .*, 2 jobs runningRunningbeta/)
  expect(text()).toMatch(/Berth 1\.4\.0, last seen .*\. Its proxy is stopped\.Away/)
  expect(text()).not.toContain('Remove')
})

it('lets an owner remove a node that is gone', async () => {
  const list = [HERE, { ...HERE, ...AWAY, name: 'beta' }]
  const network = fakeNetwork({ ...REPLIES, ...OWNERS, 'nodes.list': list, 'nodes.remove': [HERE] })
  using _page = openPage('/admin/health')
  await press('Remove…')
  await shows('Remove beta?')
  await press('Remove node')
  await until(() => !text().includes('beta'))
  expect(network.sent.find(({ name }) => name === 'nodes.remove')?.body).toEqual({ name: 'beta' })
})

it('says nothing of nodes where there is only one process', async () => {
  fakeNetwork(REPLIES)
  using _page = openPage('/admin/health')
  await shows('Open ports')
  expect(text()).not.toContain('Nodes')
})
