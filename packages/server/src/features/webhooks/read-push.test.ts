import { expect, it } from 'vitest'
import { newComparisons, whyNotDeployed, withShare } from './judge.ts'
import { readPush } from './read-push.ts'

const AFTER = 'a'.repeat(40)

function pushOf(paths: readonly string[], repository: object = {}, ref = 'refs/heads/main') {
  const commits = [{ id: AFTER, message: 'Change', author: { name: 'Ann' }, added: paths, removed: [], modified: [] }]
  return readPush('github', {
    ref,
    before: 'b'.repeat(40),
    after: AFTER,
    repository: { id: 1, full_name: 'ann/shop', default_branch: 'main', ...repository },
    commits,
  })
}
const numbered = (count: number, length: number) => Array.from({ length: count }, (_, n) => String(n).padStart(length, 'x'))

it('the paths of a push are kept up to a number, a length and a total; beyond that they count as unknown', () => {
  expect(pushOf(numbered(5000, 50))?.paths).toHaveLength(5000)
  expect(pushOf(numbered(5001, 10))?.paths).toBeNull()
  expect(pushOf(['x'.repeat(4096)])?.paths).toHaveLength(1)
  expect(pushOf(['x'.repeat(4097)])?.paths).toBeNull()
  expect(pushOf(numbered(70, 4000))?.paths).toBeNull()
})

it('a push with an impossible repository name or default branch is not read', () => {
  expect(pushOf(['a'], { full_name: 'group/sub.group/..shop' })?.repository).toBe('group/sub.group/..shop')
  for (const name of ['ann', 'ann/../shop', './shop', 'ann/..', 'ann/sh op']) expect(pushOf(['a'], { full_name: name })).toBeUndefined()
  expect(pushOf(['a'], { default_branch: 'm'.repeat(1001) })).toBeUndefined()
})

it('a push to a branch whose name PostgreSQL could not index is not read, however few characters it has', () => {
  expect(pushOf(['a'], {}, `refs/heads/${'分'.repeat(329)}`)?.ref).toHaveLength(340)
  expect(pushOf(['a'], {}, `refs/heads/${'分'.repeat(330)}`)).toBeUndefined()
})

it('an app is deployed without comparing if there are too many paths and patterns, counted for all apps of a push', () => {
  const push = pushOf(numbered(1000, 200))
  if (!push) throw new Error('not read')
  const comparisons = newComparisons()
  const verdict = (patterns: string[]) =>
    whyNotDeployed({ git_branch: 'main', auto_deploy: 1, watch_paths: JSON.stringify(patterns) }, push, comparisons)
  for (let apps = 0; apps < 20; apps += 1) expect(verdict(['docs/**'])).toBe('no watched path changed (docs/**)')
  const costly = [`${'*x'.repeat(10)}y`]
  expect(verdict(costly)).toContain('no watched path changed')
  expect([verdict(costly), verdict(costly), verdict(['docs/**'])]).toEqual([undefined, undefined, undefined])
})

it('the costly patterns of one app leave the others their part of the comparisons', () => {
  const comparisons = newComparisons()
  const spendAll = () => withShare(comparisons, 2, (share) => (share.left = -1))
  const before = comparisons.left
  spendAll()
  expect(comparisons.left).toBe(before / 2)
  withShare(comparisons, 1, (share) => (share.left -= 10))
  expect(comparisons.left).toBe(before / 2 - 10)
})

it.each([
  ['web', true],
  ['/web/src/', true],
  ['./web/src/a.ts', true],
  ['web/src/a', false],
  ['we', false],
  ['src', false],
  [`long/${'x'.repeat(195)}`, true],
  ['/', false],
])('a watched file, or anything in a watched directory, deploys: %s', (pattern, isWatched) => {
  const push = pushOf(['web/src/a.ts', 'web', `long/${'x'.repeat(195)}/${'y'.repeat(100)}/z`])
  if (!push) throw new Error('not read')
  const app = { git_branch: 'main', auto_deploy: 1 as const, watch_paths: JSON.stringify([pattern]) }
  expect(whyNotDeployed(app, push, newComparisons()) === undefined).toBe(isWatched)
})
