import { expect, it } from 'vitest'
import { globMatcher } from './glob.ts'

it.each([
  ['web', 'web/index.ts', true],
  ['web/', 'web/a/b.ts', true],
  ['/web', 'web', true],
  ['web', 'website/index.ts', false],
  ['*.md', 'README.md', true],
  ['*.md', 'docs/README.md', false],
  ['**/*.md', 'README.md', true],
  ['**/*.md', 'docs/a/README.md', true],
  ['docs/**', 'docs/a/b', true],
  ['docs/**', 'other/docs/a', false],
  ['packages/*/src/**', 'packages/web/src/a/b.ts', true],
  ['packages/*/src/**', 'packages/a/b/src/c.ts', false],
  ['a/**/z', 'a/z', true],
  ['a/**/z', 'a/b/c/z', true],
  ['a/**/z', 'a/bz', false],
  ['file.?s', 'file.ts', true],
  ['file.?s', 'file./s', false],
  ['**', 'anything/at/all', true],
])('%s and %s: %s', (pattern, path, isMeant) => {
  expect(globMatcher(pattern)(path)).toBe(isMeant)
})

it('takes time that only depends on the lengths, whatever the pattern', () => {
  // with a pattern that goes back this would take longer than the age of the universe; the test's own deadline is the limit
  expect(globMatcher(`${'**a'.repeat(60)}b`)('a'.repeat(4000))).toBe(false)
})
