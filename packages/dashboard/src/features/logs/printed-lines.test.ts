import { expect, it } from 'vitest'
import { newLines, printedLine } from './printed-lines.ts'

it('a printed line has its time first', () => {
  expect(printedLine('2026-01-01T00:00:00Z db | ready')).toEqual({ at: '2026-01-01T00:00:00Z', text: 'db | ready', stream: 'stdout' })
})

it('only lines that were not there before are new', () => {
  expect(newLines(['a', 'b'], ['b', 'c', 'd'])).toEqual(['c', 'd'])
  expect(newLines(['a', 'b'], ['a', 'b'])).toEqual([])
  expect(newLines(['a', 'b'], ['x'])).toBeUndefined()
  expect(newLines([], ['x'])).toBeUndefined()
})
