import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine } from '../../testing/images/test-images.ts'
import { field, text } from '../engine/api/json.ts'
import { createTransport } from '../engine/api/transport.ts'
import { labelsOf, projectNetworkName } from '../engine/labels.ts'
import { createConnectionLimits, removeConnectionLimits } from './connection-limits.ts'

/** Of a network for documentation: nobody answers, and an attempt stays in the table for a while. */
const NOBODY = { first: '192.0.2.77', second: '192.0.2.78' }
const ATTEMPTS = 300
const test = openTestEngine()
const { engine, instance } = test
const transport = createTransport({ address: { socketPath: engineSocketPath() } })
const reserved = createServer()
let port = 0

beforeAll(async () => {
  await ensureBusybox(engine)
  await engine.networks.ensureProjectNetwork({ instance, projectId: 1 })
  await new Promise<void>((resolve) => void reserved.listen(0, '127.0.0.1', resolve))
  const address = reserved.address()
  port = typeof address === 'object' ? (address?.port ?? 0) : 0 // names the chain; no other instance has it while the socket is open
})
afterAll(async () => {
  await removeConnectionLimits(port)
  reserved.close()
  await test[Symbol.asyncDispose]()
})

/** How many entries of the kernel's table an app gets that connects to many ports at once. */
async function entriesOfAnApp(target: string): Promise<number> {
  const connects = `for p in $(seq 1 ${ATTEMPTS}); do nc -w 1 ${target} $p </dev/null & done; sleep 30`
  const body = {
    Image: BUSYBOX_IMAGE,
    Cmd: ['sh', '-c', connects],
    Labels: labelsOf({ instance, kind: 'app', appId: 1 }),
    HostConfig: { NetworkMode: projectNetworkName(instance, 1) },
  }
  const id = text(field(await transport.json({ method: 'POST', path: '/containers/create', body }), 'Id'))
  await transport.json({ method: 'POST', path: `/containers/${id}/start` })
  const inspected = await transport.json({ method: 'GET', path: `/containers/${id}/json` })
  const address = text(field(inspected, 'NetworkSettings', 'Networks', projectNetworkName(instance, 1), 'IPAddress'))
  let [before, entries] = [-1, 0]
  while (entries === 0 || entries !== before) {
    await sleep(1500)
    const lines = (await readFile('/proc/net/nf_conntrack', 'utf8')).split('\n')
    before = entries
    entries = lines.filter((line) => line.includes(`src=${address} dst=${target} `)).length
  }
  await transport.json({ method: 'DELETE', path: `/containers/${id}?force=true` })
  return entries
}

it('an app that connects to many addresses gets a part of the table of connections', async () => {
  expect(await entriesOfAnApp(NOBODY.first)).toBeGreaterThan(200)
  const limits = createConnectionLimits({ log: pino({ level: 'silent' }), mode: 'auto', tableSize: async () => 1600 })
  await limits.ensure(port)
  await limits.ensure(port) // again and again
  expect(limits.message()).toBe('')
  const entries = await entriesOfAnApp(NOBODY.second)
  expect(entries).toBeGreaterThan(0)
  expect(entries).toBeLessThanOrEqual(200) // an eighth
})
