import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openKeptCertificates } from '../../../testing/harness/kept-certificates.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { IssueAttempt } from './attempts.ts'

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
async function reopened() {
  const { attempts } = openKeptCertificates(test.db, dir)
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
