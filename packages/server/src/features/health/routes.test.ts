import { expect, it } from 'vitest'
import { type HealthSources, healthHandlers } from './routes.ts'

const well: HealthSources = {
  version: '1',
  startedAt: new Date(0),
  now: () => new Date(1000),
  database: () => 'ok',
  engine: () => ({ state: 'ok', message: '' }),
  edge: () => ({ state: 'ok', message: '' }),
  isQueueStalled: async () => false,
  isDiskFull: async () => false,
  firewall: () => '',
  dashboardCertificate: () => '',
}

it('says that queued deployments wait for space if the disk is full, and not if they are stuck for another reason', async () => {
  const stalled = { ...well, isQueueStalled: async () => true }
  expect(await healthHandlers({ ...stalled, isDiskFull: async () => true }).health()).toMatchObject({
    status: 'degraded',
    checks: { queue: 'stalled' },
    messages: { queue: 'The disk is full. Queued deployments wait until there is space.' },
  })
  expect((await healthHandlers(stalled).health()).messages).toEqual({})
  expect(await healthHandlers({ ...well, isDiskFull: async () => true }).health()).toMatchObject({ status: 'ok', messages: {} })
})

it('a node that may be behind the others says so with an error, so that a load balancer leaves it out', async () => {
  await expect(healthHandlers({ ...well, isBehind: () => true }).health()).rejects.toMatchObject({
    code: 'storage_unavailable',
    message: expect.stringContaining('has not read the routes'),
  })
  expect((await healthHandlers({ ...well, isBehind: () => false }).health()).status).toBe('ok')
})

it('is degraded while the database can only be read, and says whether that is a disk or a server', async () => {
  const readOnly: HealthSources = { ...well, database: () => 'read_only' }
  const expected = (text: string) => ({
    status: 'degraded',
    checks: { database: 'read_only' },
    messages: { database: expect.stringContaining(text) },
  })
  expect(await healthHandlers(readOnly).health()).toMatchObject(expected('The disk is full or read-only.'))
  expect(await healthHandlers({ ...readOnly, hasDatabaseServer: true }).health()).toMatchObject(
    expected('The database server does not accept writes.'),
  )
})
