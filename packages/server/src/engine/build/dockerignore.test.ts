import { describe, expect, it } from 'vitest'
import { SpecRefused } from '../api/errors.ts'
import { parseDockerignore } from './dockerignore.ts'

const ignored = (rules: string, paths: readonly string[]) => paths.filter((path) => parseDockerignore(rules).isIgnored(path))

describe('.dockerignore', () => {
  it('leaves out files, directories and what is below them', () => {
    expect(ignored('node_modules\n*.log\n', ['node_modules', 'node_modules/a/b.js', 'a.log', 'src/a.log', 'src'])).toEqual([
      'node_modules',
      'node_modules/a/b.js',
      'a.log',
    ])
  })

  it('knows **, ?, classes, comments, leading slashes and dots', () => {
    expect(ignored('**/*.log', ['a.log', 'x/y/a.log', 'a.txt'])).toEqual(['a.log', 'x/y/a.log'])
    expect(ignored('# no\n/dist/\n./tmp', ['dist/a', 'tmp', 'src/dist'])).toEqual(['dist/a', 'tmp'])
    expect(ignored('a?c\n[xy].txt', ['abc', 'ac', 'x.txt', 'z.txt'])).toEqual(['abc', 'x.txt'])
    expect(ignored('src/**/test', ['src/test', 'src/a/b/test/x', 'src/testing'])).toEqual(['src/test', 'src/a/b/test/x'])
  })

  it('lets the last match decide', () => {
    expect(ignored('*\n!src\nsrc/secret', ['a', 'src', 'src/a.ts', 'src/secret'])).toEqual(['a', 'src/secret'])
    expect(parseDockerignore('*\n!src').hasExceptions).toBe(true)
  })

  it('treats other characters as themselves, and survives nonsense', () => {
    expect(ignored('a+b(c).txt', ['a+b(c).txt', 'aab(c).txt'])).toEqual(['a+b(c).txt'])
    expect(ignored('[\n[z-a]\n..\n!\n', ['a', 'z'])).toEqual([])
  })

  it('takes an escaped character as itself', () => {
    expect(ignored('\\*.txt\n\\d', ['*.txt', 'a.txt', 'd', '1'])).toEqual(['*.txt', 'd'])
  })

  // As regular expressions these would go on for longer than anybody waits.
  it('matches in time what has very many ways to match', () => {
    const name = 'a'.repeat(250)
    const begun = performance.now()
    expect(ignored('*a*a*a*a*a*a*a*a*a*a*a*a*a*b', [name])).toEqual([])
    expect(ignored(`${'**/'.repeat(20)}b`, ['a/'.repeat(500)])).toEqual([])
    expect(ignored(`${'*'.repeat(1000)}b`, [name])).toEqual([])
    expect(ignored(`${'*a'.repeat(12)}`, [name])).toEqual([name])
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  it('is refused when it has too many rules, or one that is too long', () => {
    expect(() => parseDockerignore('a\n'.repeat(1001))).toThrow(SpecRefused)
    expect(() => parseDockerignore(`# ok\n${'a'.repeat(1025)}`)).toThrow('Line 2 of the .dockerignore file is too long')
    expect(() => parseDockerignore('#\n'.repeat(64 * 1024))).toThrow('At most 64 KiB')
    expect(parseDockerignore('a\n'.repeat(1000)).isIgnored('a')).toBe(true)
  })
})
