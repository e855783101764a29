import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { DnsCheck } from '../../edge/certificates/dns-check.ts'
import { createDnsLook } from './dns-look.ts'
import { findDomainByHost, insertDomain, newDomainRow, updateDomain } from './store.ts'

const HOUR_MS = 3600 * 1000
const OK: DnsCheck = { dnsStatus: 'ok', dnsError: null, found: [] }
const wrong = (dnsError: string): DnsCheck => ({ dnsStatus: 'wrong', dnsError, found: [] })

let test: Awaited<ReturnType<typeof openTestDatabase>>
let appId: number
let clock: Date
let stop: AbortController
/** What the world says about each name, and what was asked and written. */
let world: Map<string, () => Promise<DnsCheck> | DnsCheck>
let asked: string[]
let written: string[]

beforeEach(async () => {
  test = await openTestDatabase()
  ;[clock, stop, world, asked, written] = [new Date('2026-01-01T00:00:00Z'), new AbortController(), new Map(), [], []]
  appId = (await addApp(test.db, 'a@example.test', clock)).id
})
afterEach(async () => await test[Symbol.asyncDispose]())

async function add(...hosts: string[]): Promise<void> {
  await addTo(appId, ...hosts)
}
async function addTo(app: number, ...hosts: string[]): Promise<void> {
  await test.db.transaction(async (tx) => {
    for (const host of hosts) await insertDomain(tx, newDomainRow(app, host, { generated: false, needsDns: true, at: clock }))
  })
}
function open(slowMs?: number) {
  const check = async (host: string) => {
    asked.push(host)
    return (await world.get(host)?.()) ?? OK
  }
  return createDnsLook({
    db: test.db,
    now: () => clock,
    log: pino({ level: 'silent' }),
    readBase: async () => ({ name: '192-0-2-7.sslip.io', kind: 'address' }),
    check,
    write: async (host, found) => {
      const row = await findDomainByHost(test.db, host)
      if (row) await test.db.transaction(async (tx) => await updateDomain(tx, row.id, found))
      written.push(`${host} ${found.dns_status}`)
    },
    ...(slowMs !== undefined && { slowMs }),
  })
}
const eventually = async (holds: () => void) => await vi.waitFor(holds, { timeout: 30_000, interval: 10 })
/** Long enough for what should not happen. */
const settled = async () => await new Promise((done) => setTimeout(done, 50))

it('checks failing domains on every run and good ones rarely, and only writes changes', async () => {
  const { look } = open()
  await add('good.example.test', 'bad.example.test')
  world.set('bad.example.test', () => wrong('bad points to 10.0.0.1 and 10.0.0.2, and this is 10.0.0.3'))
  await look(stop.signal)
  await eventually(() => expect(written.toSorted()).toEqual(['bad.example.test wrong', 'good.example.test ok']))

  asked = []
  world.set('bad.example.test', () => wrong('bad points to 10.0.0.2 and 10.0.0.1, and this is 10.0.0.3'))
  clock = new Date(clock.getTime() + HOUR_MS)
  await look(stop.signal)
  await settled()
  expect([asked, written.length]).toEqual([['bad.example.test'], 2])

  world.set('bad.example.test', () => OK)
  await look(stop.signal)
  await eventually(() => expect(written.at(-1)).toBe('bad.example.test ok'))

  world.set('good.example.test', () => wrong('gone'))
  clock = new Date(clock.getTime() + 3 * HOUR_MS)
  await look(stop.signal)
  await eventually(() => expect(written.at(-1)).toBe('good.example.test wrong'))
  expect(await findDomainByHost(test.db, 'good.example.test')).toMatchObject({ dns_status: 'wrong', dns_error: 'gone' })
})

it('checks four at once, new ones first, and rotates if there are too many', async () => {
  const { look } = open()
  const gates = new Map(Array.from({ length: 6 }, (_unused, n) => [`n${n}.example.test`, Promise.withResolvers<DnsCheck>()]))
  for (const [host, gate] of gates) world.set(host, async () => await gate.promise)
  await add(...gates.keys())
  await look(stop.signal)
  await look(stop.signal)
  await settled()
  expect(asked).toEqual(['n0', 'n1', 'n2', 'n3'].map((name) => `${name}.example.test`))
  clock = new Date(clock.getTime() + 60_000)
  await add('new.example.test')
  gates.get('n3.example.test')?.resolve(wrong('still'))
  await eventually(() => expect(written).toEqual(['n3.example.test wrong']))
  await look(stop.signal)
  for (const gate of gates.values()) gate.resolve(wrong('still'))
  await eventually(() => expect(asked).toHaveLength(8))
  expect(asked.slice(4, 7).toSorted()).toEqual(['n4.example.test', 'n5.example.test', 'new.example.test'])
  expect(asked.at(-1)).toBe('n3.example.test')
})

it('takes turns between owners, however many domains one of them has', async () => {
  const { look } = open()
  await add(...Array.from({ length: 50 }, (_unused, n) => `n${n}.example.test`))
  await addTo((await addApp(test.db, 'b@example.test', clock)).id, 'theirs.example.test', 'theirs-too.example.test')
  await look(stop.signal)
  await eventually(() => expect(asked).toHaveLength(52))
  expect(asked.slice(0, 4)).toEqual(['n0', 'theirs', 'n1', 'theirs-too'].map((name) => `${name}.example.test`))
})

it('a slow name frees its slot, is not queried twice at once, and counts when it answers', async () => {
  const { look } = open(20)
  const gate = Promise.withResolvers<DnsCheck>()
  const slow = ['s1', 's2', 's3', 's4'].map((name) => `${name}.example.test`)
  for (const host of slow) world.set(host, async () => await gate.promise)
  await add(...slow, 'quick.example.test')
  world.set('broken.example.test', () => Promise.reject(new Error('no resolver')))
  await add('broken.example.test')
  await look(stop.signal)
  await eventually(() => expect(written).toEqual(['quick.example.test ok']))
  await look(stop.signal)
  await settled()
  for (const host of slow) expect(asked.filter((one) => one === host)).toHaveLength(1)
  gate.resolve(OK)
  await eventually(() => expect(written).toHaveLength(5))
})

it('queries and writes nothing after it was stopped', async () => {
  const { look } = open()
  const gate = Promise.withResolvers<DnsCheck>()
  const hosts = Array.from({ length: 6 }, (_unused, n) => `n${n}.example.test`)
  for (const host of hosts) world.set(host, async () => await gate.promise)
  await add(...hosts)
  await look(stop.signal)
  stop.abort()
  gate.resolve(OK)
  await settled()
  expect([asked.length, written]).toEqual([4, []])
})

it('skips names that contain their address', async () => {
  const { look } = open()
  await add('shop.localhost', 'shop.192-0-2-7.sslip.io', 'shop.192-0-2-8.sslip.io', 'shop.example.test')
  await look(stop.signal)
  await eventually(() => expect(asked).toHaveLength(2))
  await settled()
  expect(asked.toSorted()).toEqual(['shop.192-0-2-8.sslip.io', 'shop.example.test'])
})
