// @vitest-environment happy-dom
import type { ControlPlane, Health, User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, type Replies } from './fake-network.ts'
import { openPage, shows, text } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const ADMIN: User = { id: 1, email: 'admin@example.com', role: 'admin', createdAt: AT }
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

afterEach(() => vi.unstubAllGlobals())

it('shows several control planes: which one this is, what it does, and which one is away', async () => {
  const away = { ...HERE, name: 'beta', isThis: false, state: 'away', runsLoops: false, jobs: 0, isEdgeStopped: true } as const
  fakeNetwork({ ...REPLIES, 'nodes.list': [HERE, away] })
  using _page = openPage('/admin/health')
  await shows('alphaThis nodeRuns the single loops')
  expect(text()).toMatch(/Berth 1\.4\.0, started .*, 2 jobs runningRunningbeta/)
  expect(text()).toMatch(/Berth 1\.4\.0, last seen .*\. Its proxy is stopped\.Away/)
})

it('says nothing of nodes where there is only one process', async () => {
  fakeNetwork(REPLIES)
  using _page = openPage('/admin/health')
  await shows('Open ports')
  expect(text()).not.toContain('Nodes')
})
