import type { Page } from 'playwright-core'
import type { Answer } from '../packages/contract/src/client.ts'
import type { Finding } from '../packages/contract/src/doctor.ts'
import type { Server, Servers, UpdateCheck, UpdateHistory, UpdateStatus } from '../packages/contract/src/index.ts'
import { type OperationName, operations } from '../packages/contract/src/operations.ts'

/** `before` is done to the page while it is empty, `after` once it is there. */
export type Shot = { name: string; path: string; before?: (page: Page) => Promise<unknown>; after?: (page: Page) => Promise<unknown> }
type Look = Omit<Shot, 'name' | 'path'>

/** States that need several machines or a release of Berth are not made: the page gets the answer that it would get then. */
async function answer<Name extends OperationName>(page: Page, name: Name, data: Answer<Name>): Promise<void> {
  await page.route(`**${operations[name].path}`, async (route) => await route.fulfill({ json: { success: true, data } }))
}

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()
const GIB = 1024 ** 3
const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message, toDo: '' })

const HERE: Server = {
  id: 'k2v9a0',
  name: 'fsn1-berth-1',
  address: '10.0.0.2',
  isThis: true,
  role: 'manager',
  isLeader: true,
  state: 'ready',
  availability: 'active',
  engine: '29.1.3',
  cores: 4,
  memoryBytes: 8 * GIB,
  cpu: 12,
  memory: 41,
  labels: [],
  runs: [
    { appId: 1, appName: 'storefront', containers: 3 },
    { appId: 2, appName: 'orders-db', containers: 1 },
    { appId: 3, appName: 'customer-facing-subscription-and-invoicing-service-for-the-northern-regions', containers: 1 },
  ],
  message: '',
  edge: { state: 'current', message: '' },
  isChecked: true,
  checks: [],
  checkedAt: null,
}
const CHECKED: Server = {
  ...HERE,
  id: 'p81xcd',
  name: 'fsn1-berth-2',
  address: '10.0.0.3',
  isThis: false,
  role: 'worker',
  isLeader: false,
  cpu: null,
  memory: null,
  labels: ['ssd', 'zone-a'],
  runs: [],
  checks: [
    ok('engine', 'Docker 29.1.3'),
    ok('2377/tcp', 'fsn1-berth-2 is connected to this server.'),
    ok('7946/tcp', 'It answers.'),
    ok('7946/udp', 'Not refused. A firewall could still drop it.'),
    ok('4789/udp', 'Packets of full size pass in both directions.'),
    ok('clock', 'The same time as here.'),
    ok('no-new-privileges', 'Containers cannot gain privileges.'),
  ],
  checkedAt: ago(12),
}
const BLOCKED: Server = {
  ...CHECKED,
  id: 'z55qrs',
  name: 'a-machine-with-a-long-name-in-another-building.internal.example.com',
  address: '10.0.0.4',
  labels: [],
  isChecked: false,
  checks: [
    ok('engine', 'Docker 29.1.3'),
    ok('2377/tcp', 'It is connected to this server.'),
    ok('7946/tcp', 'It answers.'),
    {
      check: '4789/udp',
      level: 'problem',
      message: 'Nothing passes between containers on a-machine-with-a-long-name-in-another-building.internal.example.com and here.',
      toDo: 'Allow 4789/udp between your servers, in both directions.',
    },
    { check: 'clock', level: 'warning', message: '7 s behind this server.', toDo: 'Set the clock, for example with systemd-timesyncd.' },
  ],
  checkedAt: ago(1),
}
const LOST: Server = {
  ...CHECKED,
  state: 'down',
  message: 'It does not answer. Check that it is switched on and reachable. What ran there is started elsewhere, if it can be.',
}

const ADDING: Servers['adding'] = {
  changes: [],
  ports: [
    '2377/tcp, to managers: joining and control',
    '7946/tcp and 7946/udp: which container is where',
    '4789/udp: traffic between containers',
  ],
  addresses: ['10.0.0.2'],
  openUntil: null,
}
const OUTAGES: Servers['outages'] = [
  { id: 2, serverName: LOST.name, lostAt: new Date(Date.now() - 40_000).toISOString(), endedAt: null, containers: 3, moved: 2 },
  { id: 1, serverName: 'fsn1-berth-3', lostAt: '2026-01-02T03:04:05.000Z', endedAt: '2026-01-02T03:12:05.000Z', containers: 4, moved: 4 },
]
const several = (servers: Server[], openUntil: string | null = null): Servers => ({
  isSwarm: true,
  servers,
  adding: { ...ADDING, openUntil },
  message: '',
  outages: servers.some(({ state }) => state === 'down') ? OUTAGES : [],
  placing:
    'Apps without volumes and files run on the servers that have passed their check. Databases, compose apps, and apps with volumes or files stay on this server.',
})
const JOIN =
  "curl -fsS 'https://berth.example.com/api/servers/image?token=9b1f0c3c6f2e4d77a1c0' | docker load && docker swarm join --token SWMTKN-1-49nj1cmql0jkz5s954yi3oex3nedyz0fb0xx14ie39trti4wxv-8vxv8rssmk743ojnwacrr2e7c 10.0.0.2:2377"

function serverStates(): Record<string, Look> {
  const with_ = (servers: Servers) => async (page: Page) => await answer(page, 'servers.list', servers)
  const press = (name: string) => async (page: Page) => await page.getByRole('button', { name }).last().click()
  const pick = (item: string) => async (page: Page) => {
    await press('Actions for fsn1-berth-2')(page)
    await page.getByRole('menuitem', { name: item }).click()
  }
  const three = with_(several([HERE, CHECKED, BLOCKED]))
  return {
    servers: {},
    'server-add': { after: press('Add server') },
    'servers-three': { before: three },
    'servers-lost': { before: with_(several([HERE, LOST])) },
    'servers-waiting': { before: with_(several([HERE], ago(-58))) },
    'server-menu': { before: three, after: press('Actions for fsn1-berth-2') },
    'server-labels': { before: three, after: pick('Labels') },
    'server-remove': { before: three, after: pick('Remove') },
    'server-managers': { before: three, after: press('Managers') },
    'server-command': {
      before: async (page) => {
        await three(page)
        await answer(page, 'servers.add', { command: JOIN, openUntil: ago(-60) })
      },
      after: async (page) => {
        await press('Add server')(page)
        await press('Create command')(page)
      },
    },
  }
}

const NEWER: UpdateCheck = {
  current: '1.4.0',
  latest: '1.5.0',
  available: true,
  notes:
    'Berth 1.5.0\n\n* Apps can run on several servers.\n* Logs load twice as fast.\n* Fixes a deployment that waited for ever when its branch was deleted.',
  publishedAt: ago(3000),
  checkedAt: ago(4),
  message: '',
}
const RUNNING: UpdateStatus = {
  state: 'in_progress',
  from: '1.4.0',
  to: '1.5.0',
  phase: 'rehearsing',
  startedAt: ago(1),
  endedAt: null,
  error: '',
  log: [`${ago(1)} Downloading Berth 1.5.0.`, `${ago(0.8)} Checking its signature.`, `${ago(0.5)} Trying it with a copy of the database.`],
}
const FAILED: UpdateStatus = {
  ...RUNNING,
  state: 'failed',
  phase: 'rehearsing',
  endedAt: ago(0.2),
  error: 'The new version did not start with a copy of the database: migration 0071 failed: no such column: app.region.',
}
const RETURNED: UpdateStatus = {
  ...FAILED,
  phase: 'returning',
  error: 'Berth 1.5.0 did not answer within 60 s',
  log: [...RUNNING.log, `${ago(0.3)} Starting Berth 1.5.0.`, `${ago(0.2)} Going back to Berth 1.4.0 and the copy of the database.`],
}
const HISTORY: UpdateHistory = [
  { ...RETURNED, state: 'failed', by: 'owner@example.test', startedAt: ago(1) },
  { ...RUNNING, state: 'succeeded', from: '1.3.2', to: '1.4.0', by: '', startedAt: ago(20_000), endedAt: ago(19_999) },
]

function updateStates(): Record<string, Look> {
  const now = (status: UpdateStatus, check: UpdateCheck = NEWER) => ({
    before: async (page: Page) => {
      await answer(page, 'updates.check', check)
      await answer(page, 'updates.status', status)
      await answer(page, 'updates.history', HISTORY)
    },
  })
  const idle: UpdateStatus = { ...RUNNING, state: 'idle', from: '', to: '', phase: '', startedAt: null, log: [] }
  const message = 'Berth was started from its source code. To update it, stop it and run in its directory: `git pull && npm start`'
  const checkout = { ...NEWER, message }
  return {
    'update-available': now(idle),
    'update-by-hand': now(idle, checkout),
    'update-asked': { ...now(idle), after: async (page) => await page.getByRole('button', { name: 'Update', exact: true }).click() },
    'update-running': now(RUNNING),
    'update-waiting': now({ ...RUNNING, phase: 'waiting' }),
    'update-returning': now({ ...RETURNED, state: 'in_progress', endedAt: null }),
    'update-returned': { ...now(RETURNED), after: async (page) => await page.getByText('Earlier updates').click() },
    'update-failed': now(FAILED),
    'update-latest': now({ ...RUNNING, state: 'succeeded', endedAt: ago(1) }, { ...NEWER, current: '1.5.0', available: false, notes: '' }),
  }
}

/** `settings` is the address of the settings of an app. */
export function statesOf(settings: string): Shot[] {
  const at =
    (path: string) =>
    ([name, look]: [string, Look]): Shot => ({ name, path, ...look })
  const placement = {
    before: async (page: Page) => await answer(page, 'servers.list', several([HERE, CHECKED, BLOCKED])),
    after: async (page: Page) => await page.getByLabel('Placement').focus(),
  }
  return [
    ...Object.entries(serverStates()).map(at('/admin/servers')),
    ...Object.entries(updateStates()).map(at('/admin/health#updates')),
    at(settings)(['app-placement', placement]),
  ]
}
