// @vitest-environment happy-dom
import type { Health, UpdateCheck, UpdateStatus, User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, type Replies } from './fake-network.ts'
import { openPage, press, shows, text, until } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const OWNER: User = { id: 1, email: 'owner@example.com', role: 'owner', createdAt: AT }
const HEALTH: Health = {
  status: 'ok',
  version: '1.4.0',
  uptime: 60,
  checks: { database: 'ok', engine: 'ok', edge: 'ok', queue: 'ok' },
  messages: {},
}
const CHECK: UpdateCheck = {
  current: '1.4.0',
  latest: '1.5.0',
  available: true,
  notes: 'Berth 1.5.0\n\n* Logs load faster.\n* Volumes can be shared.',
  publishedAt: AT,
  checkedAt: AT,
  message: '',
}
const IDLE: UpdateStatus = { state: 'idle', from: '', to: '', phase: '', startedAt: null, endedAt: null, error: '', log: [] }
const RETURNED: UpdateStatus = {
  ...IDLE,
  from: '1.4.0',
  to: '1.5.0',
  startedAt: AT,
  error: 'Berth 1.5.0 did not listen within 60 s',
  state: 'failed',
  endedAt: AT,
}
const REPLIES = {
  'auth.me': OWNER,
  'updates.version': { version: '1.4.0', commit: 'unknown', startedAt: AT },
  'updates.check': CHECK,
  'updates.status': IDLE,
  'updates.history': [],
  health: HEALTH,
  'ports.list': [],
  'nodes.list': [],
  'disk.usage': { kinds: [], oldReleases: 0 },
  'backups.list': { directory: '/backups', restoreCommand: 'berth-server restore', backups: [], nextAt: null, error: '' },
} satisfies Replies

afterEach(() => vi.unstubAllGlobals())

it('shows the notes of a new version as a list without its title', async () => {
  fakeNetwork(REPLIES)
  using _page = openPage('/admin/health')
  await shows('Berth 1.5.0 is available')
  const points = () => [...document.querySelectorAll('main li')].map(({ textContent }) => textContent)
  await until(() => points().includes('Logs load faster.') && points().includes('Volumes can be shared.'))
  expect(document.querySelector('main')?.textContent.match(/Berth 1\.5\.0/g)).toHaveLength(1)
})

it('offers the command with which a checkout is updated', async () => {
  fakeNetwork({ ...REPLIES, 'updates.check': { ...CHECK, message: 'To update it, run in its directory: `git pull && npm start`' } })
  using _page = openPage('/admin/health')
  await shows('To update it, run in its directory:')
  await until(() => [...document.querySelectorAll('main code')].some(({ textContent }) => textContent === 'git pull && npm start'))
  expect([...document.querySelectorAll('button')].map(({ textContent }) => textContent)).not.toContain('Update')
})

it('ends the reason of a failed update with a full stop, and offers to try again', async () => {
  fakeNetwork({ ...REPLIES, 'updates.status': RETURNED })
  using _page = openPage('/admin/health')
  await shows('Berth 1.4.0 is still running. Berth 1.5.0 did not listen within 60 s.')
  const offer = () => [...document.querySelectorAll('main p')].find(({ textContent }) => textContent === 'Berth 1.5.0 is available')
  await press('Try again', () => offer()?.parentElement)
  await shows('Update to Berth 1.5.0?')
  expect(text()).toContain('Berth returns to 1.4.0 automatically')
})

it('names the version that Berth returns to', async () => {
  fakeNetwork({ ...REPLIES, 'updates.status': { ...RETURNED, state: 'in_progress', phase: 'returning', endedAt: null } })
  using _page = openPage('/admin/health')
  await shows('Returning to Berth 1.4.0')
  expect(text()).not.toContain('Updating Berth')
})
