import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createIssueAttempts, type IssueAttempt } from './attempts.ts'

const failed = (failures: number): IssueAttempt => ({ failures, reason: 'Port 80 does not answer.', isRateLimited: false, nextTryAt: 1 })

let dir: string
let path: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-attempts-'))
  path = join(dir, 'attempts.json')
})
afterEach(async () => await rm(dir, { recursive: true, force: true }))

async function reopened() {
  const attempts = createIssueAttempts({ path })
  await attempts.load()
  return attempts
}

it('one attempt writes one line, however many there are', async () => {
  const attempts = await reopened()
  for (let number = 0; number < 300; number += 1) await attempts.set(`h${number}.test`, failed(1))
  const before = await stat(path)
  await attempts.set('one-more.test', failed(2))
  const after = await stat(path)
  expect(after.ino).toBe(before.ino)
  expect(after.size - before.size).toBeLessThan(300)
  expect((await reopened()).get('one-more.test')).toEqual(failed(2))
})

it('the file does not grow with the number of tries, and has what counts', async () => {
  const attempts = await reopened()
  for (let number = 1; number <= 1000; number += 1) await attempts.set(`h${number % 3}.test`, failed(number))
  await attempts.clear('h0.test')
  expect((await readFile(path, 'utf8')).length).toBeLessThan(300 * 150)
  const again = await reopened()
  expect([again.hosts().toSorted(), again.get('h1.test')]).toEqual([['h1.test', 'h2.test'], failed(1000)])
})

it('a reason is cut short', async () => {
  const attempts = await reopened()
  await attempts.set('h.test', { ...failed(1), reason: 'x'.repeat(100_000) })
  expect((await stat(path)).size).toBeLessThan(2000)
})

it('reads what an earlier version wrote, and everything but a line that was cut off', async () => {
  await writeFile(path, JSON.stringify([['old.test', failed(3)]]))
  const attempts = await reopened()
  expect(attempts.get('old.test')).toEqual(failed(3))
  await attempts.set('new.test', failed(1))
  await appendFile(path, '\n["cut.test",{"fail')
  const after = await reopened()
  expect(after.hosts()).toEqual(['old.test', 'new.test'])
  await writeFile(path, '[]')
  expect((await reopened()).hosts()).toEqual([])
})
