import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openKeptCertificates } from '../../../testing/harness/kept-certificates.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Db } from '../../store/database.ts'
import type { IssueAttempt } from './attempts.ts'
import { createRenewalPolicy } from './renewal-policy.ts'

const failed = (failures: number): IssueAttempt => ({ failures, reason: 'Port 80 does not answer.', isRateLimited: false, nextTryAt: 1 })

let dir: string
let test: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-attempts-'))
  test = await openTestDatabase()
})
afterEach(async () => {
  await test[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** As another process sees them, or the same one after a restart. */
async function reopened(db = test.db) {
  const { attempts } = openKeptCertificates(db, dir)
  await attempts.follow()
  return attempts
}

it('an attempt is known after a restart, with all that it says, until it is cleared', async () => {
  const attempts = await reopened()
  const limited = { ...failed(2), isRateLimited: true, nextTryAt: 1_800_000_000_123, directory: 'https://ca.test/dir' }
  await attempts.set('one.test', failed(1))
  await attempts.set('one.test', limited)
  await attempts.set('two.test', failed(1))
  await attempts.clear('two.test')
  const again = await reopened()
  expect([again.hosts(), again.get('one.test')]).toEqual([['one.test'], limited])
})

it('what another node tried is known at the next look, and nothing is read if nothing changed', async () => {
  const [a, b] = [await reopened(), await reopened()]
  await a.set('one.test', failed(1))
  expect(await a.follow()).toBe(false)
  expect([await b.follow(), await b.follow(), b.get('one.test')]).toEqual([true, false, failed(1)])
  await b.set('two.test', failed(1))
  await a.set('three.test', failed(3))
  expect([await a.follow(), a.hosts().toSorted()]).toEqual([true, ['one.test', 'three.test', 'two.test']])
})

it('an attempt that is not stored yet is not forgotten by a look at what other nodes changed', async () => {
  const [held, other] = [Promise.withResolvers<void>(), await reopened()]
  let isHeld = false
  const transaction: Db['transaction'] = async (work, options) => {
    if (isHeld) await held.promise
    return await test.db.transaction(work, options)
  }
  const attempts = await reopened(
    new Proxy(test.db, { get: (db, name): unknown => (name === 'transaction' ? transaction : Reflect.get(db, name)) }),
  )
  await other.set('two.test', failed(2))
  isHeld = true
  const setting = attempts.set('one.test', failed(1))
  const following = attempts.follow()
  await Promise.race([following, sleep(500)])
  held.resolve()
  await Promise.all([setting, following])
  expect([attempts.get('one.test'), attempts.get('two.test')]).toEqual([failed(1), failed(2)])
})

it('who tries again moves only the time, and no rate limit that another node was told', async () => {
  const [a, b] = [await reopened(), await reopened()]
  const pause = { current: () => undefined }
  const policy = (directory: string) =>
    createRenewalPolicy({ shown: () => undefined, attempts: a, pause, directory: () => directory, now: () => new Date(5000) })
  const limited = { ...failed(3), isRateLimited: true, nextTryAt: 9000, directory: 'https://ca.test/dir' }
  await a.set('limited.test', failed(1))
  await a.set('failed.test', failed(1))
  await b.set('limited.test', limited)
  await b.set('failed.test', { ...failed(2), nextTryAt: 9000 })
  for (const host of ['limited.test', 'failed.test']) await policy('https://ca.test/dir').retryNow(host)
  const stored = await reopened()
  expect([stored.get('limited.test'), a.get('limited.test')]).toEqual([limited, limited])
  expect([stored.get('failed.test'), a.get('failed.test')]).toEqual([
    { ...failed(2), nextTryAt: 5000 },
    { ...failed(2), nextTryAt: 5000 },
  ])
  await policy('https://other.test/dir').retryNow('limited.test')
  expect((await reopened()).get('limited.test')).toEqual({ ...limited, nextTryAt: 5000 })
})

it('a reason is cut short', async () => {
  const attempts = await reopened()
  await attempts.set('h.test', { ...failed(1), reason: 'x'.repeat(100_000) })
  expect((await reopened()).get('h.test')?.reason).toHaveLength(1000)
})

it('takes over the file of an earlier version once, and everything in it but a line that was cut off', async () => {
  const lines = [[['oldest.test', failed(3)]], ['old.test', failed(2)], ['cleared.test', failed(2)], ['cleared.test', null]]
  await writeFile(join(dir, 'attempts.json'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n["cut.test",{"fail`)
  const attempts = await reopened()
  expect(attempts.hosts().toSorted()).toEqual(['old.test', 'oldest.test'])
  expect(attempts.get('oldest.test')).toEqual(failed(3))
  await attempts.clear('old.test')
  expect((await reopened()).hosts()).toEqual(['oldest.test'])
})
