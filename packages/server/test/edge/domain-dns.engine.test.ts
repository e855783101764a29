import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { ownAddress } from '../../testing/harness/own-address.ts'
import { startPebble } from '../../testing/harness/pebble.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'

const NAMES = path.resolve(import.meta.dirname, '../../testing/fixtures/edge-names.mjs')

it('says by itself where the name of a domain points, live, and is silent while nothing changes', async () => {
  await using pebble = await startPebble({ httpPort: 1 })
  await using berth = await startTestServer({
    runs: 'as a process',
    tuning: { certificateLookMs: 200 },
    env: { DOCKER_HOST: `unix://${engineSocketPath()}`, NODE_OPTIONS: `--import=${NAMES}`, EDGE_TEST_NAME_SERVER: pebble.dnsServer },
  })
  const { call, cookie } = await berth.owner()
  await pebble.pointTo('good.example.test', [ownAddress()])
  await pebble.pointTo('bad.example.test', ['127.0.0.9', '127.0.0.8'])
  const { id: projectId } = await call('projects.create', { name: 'p' })
  const { id: appId } = await call('apps.create', { projectId, name: 'a' })
  const good = await call('domains.create', { appId, domain: 'good.example.test' })
  const bad = await call('domains.create', { appId, domain: 'bad.example.test' })
  expect([good.dnsStatus, bad.dnsStatus]).toEqual(['unknown', 'unknown'])
  const added = async () => (await call('domains.list', { appId })).filter(({ generated }) => !generated)
  const statuses = async () => (await added()).map(({ dnsStatus }) => dnsStatus)
  const become = async (...wanted: string[]) =>
    await vi.waitFor(async () => expect(await statuses()).toEqual(wanted), { timeout: 45_000, interval: 50 })
  await become('ok', 'wrong')
  expect((await added())[1]?.dnsError).toMatch(/127\.0\.0\.9/)

  await using socket = await berth.connect('events', { cookie })
  await socket.waitFor(({ type }) => type === 'ready')
  const changes = () => socket.frames.filter(({ type }) => type === 'domain.changed').length
  await sleep(500) // the last change may still be on its way
  const before = changes()
  await sleep(2000) // several checks with the same result
  expect(changes()).toBe(before)
  await pebble.pointTo('bad.example.test', [ownAddress()])
  await socket.waitFor(({ type, data }) => type === 'domain.changed' && data['domainId'] === bad.id)
  await become('ok', 'ok')

  await pebble.pointTo('good.example.test', ['127.0.0.9'])
  await berth.restart() // or hours later
  await become('wrong', 'ok')
})
