import { expect, it } from 'vitest'
import { placed } from './log-cursor.ts'
import { searchLines } from './log-search.ts'

async function* numbered(count: number, text: (n: number) => string) {
  for (let n = 0; n < count; n += 1)
    yield [{ at: new Date(n).toISOString(), stream: 'stdout' as const, line: text(n), service: '', replica: 1 }]
}

async function search(words: string, options: { context?: number; limit?: number } = {}, count = 100) {
  const text = (n: number) => `\u001b[32mLine\u001b[0m ${n}${n % 10 === 0 ? ' Error' : ''}`
  const found = await searchLines(placed(numbered(count, text)), { search: words, context: 0, limit: 1000, ...options })
  return { ...found, lines: found.lines.map(({ n, isMatch }) => (isMatch ? n : -n)) }
}

it('finds a text in any case, even across a colour code, and returns its positions', async () => {
  expect(await search('eRROR')).toEqual({ matches: 10, total: 100, lines: [0, 10, 20, 30, 40, 50, 60, 70, 80, 90] })
  expect(await search('line 42')).toEqual({ matches: 1, total: 100, lines: [42] })
  expect(await search('nothing')).toEqual({ matches: 0, total: 100, lines: [] })
})

it('returns each line around matches once, even if matches are close together', async () => {
  expect((await search('line 5', { context: 1 }, 52)).lines).toEqual([-4, 5, -6, -49, 50, 51])
})

it('counts all matches and gives the newest', async () => {
  expect(await search('error', { limit: 2 })).toEqual({ matches: 10, total: 100, lines: [80, 90] })
})

it('keeps no more than fits into a response, and still counts all matches', async () => {
  const long = 'x'.repeat(10_000)
  const found = await searchLines(placed(numbered(1000, () => long)), { search: 'xx', context: 5, limit: 1000 })
  expect(found.matches).toBe(1000)
  expect(found.lines.length).toBeLessThan(220)
  expect(found.lines.at(-1)).toMatchObject({ n: 999, isMatch: true })
})
