import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../testing/harness/cpu-seconds.ts'
import { SpecRefused } from '../api/errors.ts'
import { parseDockerignore } from './dockerignore.ts'

async function ignored(text: string, paths: readonly string[]): Promise<string[]> {
  const rules = parseDockerignore(text)
  const found: string[] = []
  for (const path of paths) if (await rules.isIgnored(path)) found.push(path)
  return found
}

describe('.dockerignore', () => {
  it('leaves out files, directories and what is below them', async () => {
    expect(await ignored('node_modules\n*.log\n', ['node_modules', 'node_modules/a/b.js', 'a.log', 'src/a.log', 'src'])).toEqual([
      'node_modules',
      'node_modules/a/b.js',
      'a.log',
    ])
  })

  it('knows **, ?, classes, comments, leading slashes and dots', async () => {
    expect(await ignored('**/*.log', ['a.log', 'x/y/a.log', 'a.txt'])).toEqual(['a.log', 'x/y/a.log'])
    expect(await ignored('# no\n/dist/\n./tmp', ['dist/a', 'tmp', 'src/dist'])).toEqual(['dist/a', 'tmp'])
    expect(await ignored('a?c\n[xy].txt', ['abc', 'ac', 'x.txt', 'z.txt'])).toEqual(['abc', 'x.txt'])
    expect(await ignored('src/**/test', ['src/test', 'src/a/b/test/x', 'src/testing'])).toEqual(['src/test', 'src/a/b/test/x'])
  })

  it('lets the last match decide', async () => {
    expect(await ignored('*\n!src\nsrc/secret', ['a', 'src', 'src/a.ts', 'src/secret'])).toEqual(['a', 'src/secret'])
    expect(parseDockerignore('*\n!src').hasExceptions).toBe(true)
  })

  it('treats other characters as themselves, and survives nonsense', async () => {
    expect(await ignored('a+b(c).txt', ['a+b(c).txt', 'aab(c).txt'])).toEqual(['a+b(c).txt'])
    expect(await ignored('[\n[z-a]\n..\n!\n', ['a', 'z'])).toEqual([])
  })

  it('takes an escaped character as itself', async () => {
    expect(await ignored('\\*.txt\n\\d', ['*.txt', 'a.txt', 'd', '1'])).toEqual(['*.txt', 'd'])
  })

  // As regular expressions these would go on for longer than anybody waits.
  it('matches in time what has very many ways to match', async () => {
    const name = 'a'.repeat(250)
    const seconds = await cpuSeconds(async () => {
      expect(await ignored('*a*a*a*a*a*a*a*a*a*a*a*a*a*b', [name])).toEqual([])
      expect(await ignored(`${'**/'.repeat(20)}b`, ['a/'.repeat(500)])).toEqual([])
      expect(await ignored(`${'*'.repeat(1000)}b`, [name])).toEqual([])
      expect(await ignored(`${'*a'.repeat(12)}`, [name])).toEqual([name])
    })
    expect(seconds).toBeLessThan(5)
  })

  it('matches a path the same way whatever was asked before', async () => {
    const paths = ['a', 'a/b.log', 'a/c/b.log', 'a/d.txt', 'c', 'c/a', 'a/c/d.txt']
    expect(await ignored('a/**/*.log\n!a/c\nc', paths)).toEqual(['a/b.log', 'c', 'c/a'])
    expect(await ignored('a/**/*.log\n!a/c\nc', paths.toReversed())).toEqual(['c/a', 'c', 'a/b.log'])
  })

  it('takes repeated stars as two', async () => {
    expect(await ignored(`${'*'.repeat(1000)}b`, ['x/y/b', 'x/y/c'])).toEqual(['x/y/b'])
    await parseDockerignore(`${'*'.repeat(1000)}b`, { maxSteps: 1000 }).isIgnored('a'.repeat(200))
  })

  // 64 rules with 680 places each, all of which stay possible, and the longest path there is.
  it('is refused when comparing it with the files takes too many steps', async () => {
    const slow = `${'**a'.repeat(340)}b\n`.repeat(64)
    const below = `${'a'.repeat(255)}/`.repeat(15)
    await expect(parseDockerignore(slow, { maxSteps: 5_000_000 }).isIgnored(`${below}x`)).rejects.toThrow('takes too long to compare')
    // The directory is read once, not once for each of its files.
    const one = parseDockerignore(`${'**a'.repeat(20)}b\n`, { maxSteps: 500_000 })
    for (let file = 0; file < 1000; file += 1) expect(await one.isIgnored(`${below}${file}`)).toBe(false)
  })

  it('lets others have their turn, and stops when the build is cancelled', async () => {
    const cancel = new AbortController()
    const slow = parseDockerignore(`${'**a'.repeat(340)}b\n`.repeat(64), { signal: cancel.signal })
    const match = slow.isIgnored(`${'a'.repeat(255)}/`.repeat(15))
    setImmediate(() => cancel.abort(new Error('cancelled meanwhile')))
    await expect(match).rejects.toThrow('cancelled meanwhile')
  })

  it('is refused when it has too many rules, or one that is too long', () => {
    expect(() => parseDockerignore('a\n'.repeat(1001))).toThrow(SpecRefused)
    expect(() => parseDockerignore(`# ok\n${'a'.repeat(1025)}`)).toThrow('Line 2 of the .dockerignore file is too long')
    expect(() => parseDockerignore('#\n'.repeat(64 * 1024))).toThrow('At most 64 KiB')
    expect(() => parseDockerignore('a\n'.repeat(1000))).not.toThrow()
  })
})
