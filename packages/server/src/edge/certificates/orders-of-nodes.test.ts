import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openKeptCertificates } from '../../../testing/harness/kept-certificates.ts'
import { ownCertificate } from '../../../testing/harness/own-certificate.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createFence } from '../../nodes/fence.ts'
import { createLeadership } from '../../nodes/leadership.ts'
import { createAccountPause } from './account-pause.ts'
import { AcmeFailure } from './acme-transport.ts'
import { createCertificates } from './certificates.ts'
import { createCertificateIssuer } from './issuer.ts'

const log = pino({ level: 'silent' })
const DIRECTORY = 'https://ca.test/dir'

/** Nodes with real leases on one database, and an authority of the test's own. */
async function openNodes(answer: (node: string, host: string) => Promise<void>) {
  const test = await openTestDatabase()
  const root = await mkdtemp(join(tmpdir(), 'berth-nodes-'))
  let seconds = 0
  const now = () => new Date(Date.now() + seconds * 1000)
  const opened: ReturnType<typeof createCertificates>[] = []

  function node(name: string) {
    const fence = createFence(test.db)
    const leadership = createLeadership({ db: test.db, holder: name, fence, now, log, onGained: () => undefined })
    const { store, attempts, budget } = openKeptCertificates(fence.guardDb(test.db), join(root, name))
    const issue = async (host: string) => {
      await answer(name, host)
      return { ...ownCertificate(host, 90), directory: DIRECTORY }
    }
    const directory = () => DIRECTORY
    const pause = createAccountPause({ attempts, directory, now: () => new Date() })
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
      now: () => new Date(),
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
      now: () => new Date(),
      orders: { isOurs: leadership.isHeld, run: leadership.run },
      everyMs: 50,
    })
    opened.push(certificates)
    return { ...certificates, leadership, files: async () => await readdir(join(root, name, 'certs')) }
  }
  return {
    node,
    wait: (more: number) => void (seconds += more),
    rows: async () => await test.db.selectFrom('certificate').select('host').execute(),
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.close()
      await test[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}

it('only the node with the lease orders, also what another one is asked to try again, and both have the files', async () => {
  const asked: string[] = []
  let isRefusing = true
  await using nodes = await openNodes(async (node, host) => {
    asked.push(`${node} ${host}`)
    if (isRefusing) throw new AcmeFailure('refused')
  })
  const [a, b] = [nodes.node('a'), nodes.node('b')]
  await a.leadership.extend()
  for (const node of [b, a]) await node.want(['one.test'])
  const errorAtB = async () => await b.follow().then(() => b.status('one.test').sslError)
  await expect.poll(errorAtB, { timeout: 10_000 }).toBe('refused') // once it is stored
  expect(asked).toEqual(['a one.test'])
  isRefusing = false
  let isOver = false
  const following = (async () => {
    for (; !isOver; await sleep(100)) await a.follow() // as its background task does
  })()
  expect(await b.checkNow('one.test')).toMatchObject({ sslStatus: 'active', sslError: null })
  isOver = true
  await following
  expect(asked).toEqual(['a one.test', 'a one.test'])
  expect([await a.files(), await b.files()]).toEqual([['one.test.acme.pem'], ['one.test.acme.pem']])
})

it('an order of a node that was paused and lost its lease stores nothing', async () => {
  const paused = Promise.withResolvers<void>()
  const asked: string[] = []
  await using nodes = await openNodes(async (node, host) => {
    asked.push(`${node} ${host}`)
    if (node === 'a') await paused.promise
  })
  const [a, b] = [nodes.node('a'), nodes.node('b')]
  await a.leadership.extend()
  await a.want(['one.test'])
  await expect.poll(() => asked).toEqual(['a one.test'])
  nodes.wait(60)
  await b.leadership.extend()
  paused.resolve()
  await expect.poll(() => a.isWorking('one.test')).toBe(false)
  expect(await nodes.rows()).toEqual([])
  await b.want(['one.test'])
  await expect.poll(() => b.status('one.test').sslStatus).toBe('active')
  expect([asked, await nodes.rows()]).toEqual([['a one.test', 'b one.test'], [{ host: 'one.test' }]])
})

it('a limit of the account that one node was told holds for the next one, also by hand', async () => {
  const asked: string[] = []
  await using nodes = await openNodes(async (node, host) => {
    asked.push(`${node} ${host}`)
    throw new AcmeFailure('limited', { isRateLimited: true, retryAfterMs: 3_600_000, detail: 'too many new orders from this account' })
  })
  const [a, b] = [nodes.node('a'), nodes.node('b')]
  await a.leadership.extend()
  await a.want(['one.test'])
  await expect.poll(() => a.status('one.test').sslError, { timeout: 10_000 }).toBe('limited')
  nodes.wait(60)
  await b.leadership.extend()
  await b.want(['one.test', 'two.test'])
  expect(await b.checkNow('two.test')).toMatchObject({ sslStatus: 'pending', sslError: 'limited' })
  expect(asked).toEqual(['a one.test'])
})
