import { expect, it } from 'vitest'
import type { LogLine } from './log-buffer.ts'
import { searchLoaded } from './log-source.ts'

const lines = Array.from({ length: 20 }, (_none, n): LogLine => ({ n, text: `Line \u001b[31m${n}\u001b[0m`, stream: 'stdout', at: '' }))

function search(words: string, context: number) {
  const found = searchLoaded(lines, { words, context })
  return { matches: found.matches, total: found.total, lines: found.lines.map(({ n, isMatch }) => (isMatch ? n : -n)) }
}

it('finds a text in any case in the loaded lines, and returns each surrounding line once', () => {
  expect(search('LINE 5', 2)).toEqual({ matches: 1, total: 20, lines: [-3, -4, 5, -6, -7] })
  expect(search('line 1', 1)).toMatchObject({ matches: 11, lines: [-0, 1, -2, -9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19] })
  expect(search('nothing', 3)).toEqual({ matches: 0, total: 20, lines: [] })
})
