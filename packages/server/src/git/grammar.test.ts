import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBranchName, isCommitHash } from './ref.ts'
import { parseRepoPath } from './repo-path.ts'

describe('a branch name', () => {
  it.each(['main', 'feature/a-b_c.d', 'v1.2', 'dependabot/npm/x-1.2.3', 'ünï', 'a@b', 'issue#12', 'a=b', 'a+b,c%'])('may be %s', (name) => {
    expect(isBranchName(name)).toBe(true)
  })

  it.each([
    '',
    '-x',
    '--upload-pack=x',
    'a b',
    'a\nb',
    'a\u0000b',
    'main; touch x',
    '$(touch x)',
    '`id`',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a?b',
    'a*',
    'a[b',
    'a\\b',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a.',
    '@',
    'a@{1}',
    'HEAD',
    'a|b',
    'a&b',
    'a>b',
    "a'b",
    'a"b',
    'x'.repeat(256),
    'a\u007f',
    '\ud800',
  ])('may not be %j', (name) => {
    expect(isBranchName(name)).toBe(false)
  })

  it('is never one that git refuses', () => {
    const part = fc.constantFrom('a', 'b', '/', '.', '-', '@', '{', '.lock', '~', '\\', '_', '#', 'ü', ' ', '\t', ':', '*')
    const names = fc.sample(
      fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
      { numRuns: 150, seed: 7 },
    )
    for (const name of names.filter(isBranchName)) {
      expect(spawnSync('git', ['check-ref-format', `refs/heads/${name}`]).status, name).toBe(0)
    }
  })
})

it('a commit hash is 40 or 64 hexadecimal digits', () => {
  expect(isCommitHash('a'.repeat(40))).toBe(true)
  expect(isCommitHash('0'.repeat(64))).toBe(true)
  for (const text of ['', 'HEAD', 'a'.repeat(39), 'A'.repeat(40), `${'a'.repeat(40)}\n`, '--x']) expect(isCommitHash(text)).toBe(false)
})

describe('a path inside a repository', () => {
  it.each([
    ['', '.'],
    ['.', '.'],
    ['./', '.'],
    ['a//b/./c/', 'a/b/c'],
    ['apps/my app', 'apps/my app'],
    ['docker/Dockerfile.prod', 'docker/Dockerfile.prod'],
    ['...', '...'],
    ['@scope/(group)/[id]', '@scope/(group)/[id]'],
  ])('%j is %j', (text, expected) => {
    expect(parseRepoPath(text)).toBe(expected)
  })

  it.each([
    '..',
    '../..',
    '/etc',
    'a/../../b',
    'a/..',
    '..%2f',
    '%2e%2e/x',
    'a\u0000b',
    'C:\\x',
    'c:x',
    'a\\b',
    '~/x',
    '~root',
    '--build-arg=x',
    '-f',
    'a/-b',
    'Dockerfile; touch x',
    '$(id)',
    '`id`',
    'a\nb',
    'a|b',
    '.git/config',
    'a/.GIT/hooks',
    'x'.repeat(513),
    ' a',
    'a /b',
    '\ud800',
  ])('%j is none', (text) => {
    expect(parseRepoPath(text)).toBeNull()
  })

  it('never leaves the repository, and is stable', () => {
    const part = fc.constantFrom('..', '.', '/', 'a', 'b', '%2e', '\\', '~', '-', ' ')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const parsed = parseRepoPath(parts.join(''))
        if (parsed === null) return
        expect(new URL(parsed, 'http://h/root/').pathname).toMatch(/^\/root\//)
        expect(parseRepoPath(parsed)).toBe(parsed)
      }),
      { numRuns: 1000 },
    )
  })
})
