import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startCertificates } from '../../../testing/harness/issuing.ts'
import { openKeptCertificates } from '../../../testing/harness/kept-certificates.ts'
import { ownCertificate } from '../../../testing/harness/own-certificate.ts'
import { startPebble } from '../../../testing/harness/pebble.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { startTestEdge } from '../../../testing/harness/test-edge.ts'
import { createAccountPause } from './account-pause.ts'
import { AcmeFailure } from './acme-transport.ts'
import { createCertificates } from './certificates.ts'
import { createCertificateIssuer } from './issuer.ts'

const SOON = { timeout: 10_000 }
const HOUR_MS = 3_600_000
const MALLORY = 1
const ALICE = 2
const OF_ACCOUNT = new AcmeFailure('account limited', { isRateLimited: true, detail: 'too many new orders' })
const OF_NAME = new AcmeFailure('name limited', { isRateLimited: true, retryAfterMs: 5 * HOUR_MS, detail: 'already issued' })

/** Certificates on a database, with an authority of the test's own. */
async function openCertificates(answer: (host: string) => void) {
  const test = await openTestDatabase()
  const root = await mkdtemp(join(tmpdir(), 'berth-limits-'))
  const clock = { offsetMs: 0 }
  const now = () => new Date(Date.now() + clock.offsetMs)
  const { store, attempts, budget } = openKeptCertificates(test.db, root, now)
  const asked: string[] = []
  const directory = () => 'https://ca.test/dir'
  const pause = createAccountPause({ attempts, directory, now })
  const log = { info: () => undefined, warn: () => undefined }
  const issue = async (host: string) => {
    asked.push(host)
    answer(host)
    return { ...ownCertificate(host, 90), directory: directory() }
  }
  const preflight = { problem: async () => undefined }
  const issuer = createCertificateIssuer({
    store,
    attempts,
    acme: { issue },
    preflight,
    budget,
    pause,
    directory,
    log,
    now,
    random: () => 0,
  })
  const certificates = createCertificates({
    store,
    attempts,
    issuer,
    pause,
    directory,
    edge: { setCertificates: async () => undefined, isRefused: () => false },
    events: { onStatus: () => undefined },
    log,
    now,
    everyMs: 20,
  })
  const want = async (hosts: Record<string, number>) => await certificates.want(Object.keys(hosts), new Map(Object.entries(hosts)))
  return {
    ...certificates,
    want,
    asked,
    attempts,
    clock,
    spend: async (owner: number) => {
      while ((await budget.take('spent.test', owner)) === undefined);
    },
    async [Symbol.asyncDispose]() {
      await certificates.close()
      await test[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}

it('a host of an owner with too many orders waits and says so, also by hand, and those of others are ordered', async () => {
  await using sut = await openCertificates(() => undefined)
  await sut.spend(MALLORY)
  await sut.want({ 'm.test': MALLORY, 'a.test': ALICE })
  await expect.poll(() => sut.status('a.test').sslStatus, SOON).toBe('active')
  await expect
    .poll(() => sut.status('m.test').sslError, SOON)
    .toMatch(/^This certificate waits: certificates for 60 of your domains were ordered/)
  const { nextTryAt } = await sut.checkNow('m.test')
  expect(nextTryAt?.getTime()).toBeGreaterThan(Date.now() + 2.9 * HOUR_MS)
  await sut.forget('m.test')
  await sut.want({ 'm.test': MALLORY })
  await expect.poll(() => sut.status('m.test').sslError, SOON).toMatch(/^This certificate waits/)
  expect(sut.asked).toEqual(['a.test'])
  sut.clock.offsetMs = 3.1 * HOUR_MS
  await expect.poll(() => sut.status('m.test').sslStatus, SOON).toBe('active')
})

it('a rate limit of a name outlives the removal of its domain, and is forgotten when it is over', async () => {
  await using sut = await openCertificates(() => {
    throw OF_NAME
  })
  await sut.want({ 'm.test': MALLORY })
  await expect.poll(() => sut.status('m.test').sslError, SOON).toBe('name limited')
  const { chain: certificate, key } = ownCertificate('m.test', 90)
  await sut.want({})
  await sut.forget('m.test')
  expect(await sut.hosts()).toEqual([])
  await sut.want({ 'm.test': ALICE })
  expect(await sut.checkNow('m.test')).toMatchObject({ sslStatus: 'failed', sslError: 'name limited' })
  expect(await sut.upload('m.test', { certificate, key })).toBeUndefined()
  expect(sut.status('m.test')).toMatchObject({ sslStatus: 'active', sslError: null, nextTryAt: null })
  await sut.forget('m.test')
  expect(await sut.checkNow('m.test')).toMatchObject({ sslError: 'name limited' })
  expect(sut.asked).toEqual(['m.test'])
  await sut.want({})
  sut.clock.offsetMs = 5.1 * HOUR_MS
  expect(await sut.hosts()).toEqual(['m.test'])
  await sut.forget('m.test')
  expect(sut.attempts.get('m.test')).toBeUndefined()
})

it('a limit of the account stops the orders of everybody; then one owner after the other tries one, until one succeeds', async () => {
  let isLimiting = true
  await using sut = await openCertificates(() => {
    if (isLimiting) throw OF_ACCOUNT
  })
  const hosts = { 'm1.test': MALLORY, 'm2.test': MALLORY, 'm3.test': MALLORY }
  await sut.want({ 'm1.test': MALLORY })
  await expect.poll(() => sut.status('m1.test').sslError, SOON).toBe('account limited')
  await sut.want({ ...hosts, 'a.test': ALICE })
  for (const host of ['m2.test', 'a.test'])
    expect(await sut.checkNow(host)).toMatchObject({ sslStatus: 'pending', sslError: 'account limited' })
  await sut.forget('m1.test')
  expect(sut.asked).toEqual(['m1.test'])
  sut.clock.offsetMs = 5.1 * 60_000
  await expect.poll(() => sut.asked, SOON).toEqual(['m1.test', 'a.test'])
  await expect.poll(() => sut.status('a.test').nextTryAt?.getTime(), SOON).toBeGreaterThan(Date.now() + 15 * 60_000)
  isLimiting = false
  sut.clock.offsetMs = 16 * 60_000
  const all = () => ['m1.test', 'm2.test', 'm3.test', 'a.test'].map((host) => sut.status(host).sslStatus)
  await expect.poll(all, SOON).toEqual(['active', 'active', 'active', 'active'])
  expect(sut.asked.slice(2).toSorted()).toEqual(['a.test', 'm1.test', 'm2.test', 'm3.test'])
})

const app = (host: string) => ({
  appKey: host,
  hosts: [{ host, redirectHttps: false, hsts: false }],
  targets: [],
  page: 'stopped' as const,
})

it('a certificate of nobody is ordered while the authority limits the account, and of everybody afterwards', async () => {
  await using edge = await startTestEdge()
  await using pebble = await startPebble({ httpPort: edge.httpPort })
  await edge.edge.setRoutes({
    apps: ['one.test', 'two.test'].map(app),
  })
  await using sut = await startCertificates(edge, pebble)
  pebble.limitAccount(7200)
  await sut.certificates.want(['one.test'])
  await expect.poll(() => sut.certificates.status('one.test').sslStatus, { timeout: 20_000 }).toBe('failed')
  await sut.certificates.want(['one.test', 'two.test'])
  expect(await sut.certificates.checkNow('two.test')).toMatchObject({
    sslStatus: 'pending',
    sslError: expect.stringContaining('too many new orders (300) from this account'),
  })
  expect(pebble.orders).toEqual(['one.test'])
  pebble.limitAccount(undefined)
  sut.clock.offsetMs = 7_201_000
  const both = () => ['one.test', 'two.test'].map((host) => sut.certificates.status(host).sslStatus)
  await expect.poll(both, { timeout: 30_000 }).toEqual(['active', 'active'])
})
