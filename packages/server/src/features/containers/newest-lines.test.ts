import { describe, expect, it } from 'vitest'
import { newestLines } from './newest-lines.ts'

const at = (second: number) => new Date(second * 1000).toISOString()

describe('the newest lines of the containers of an app', () => {
  it('are sorted by time, and by print order within the same time', () => {
    const newest = newestLines(3)
    for (const [second, line] of [
      [1, 'a'],
      [3, 'b'],
      [3, 'c'],
    ] as const)
      newest.add(at(second), line)
    for (const [second, line] of [
      [2, 'd'],
      [3, 'e'],
    ] as const)
      newest.add(at(second), line)
    expect(newest.text()).toBe(`${at(3)} b\n${at(3)} c\n${at(3)} e`)
  })

  it('are limited to the size of a response, and say so', () => {
    const newest = newestLines(10_000, 1000)
    for (let second = 0; second < 5000; second += 1) newest.add(at(second), 'x'.repeat(75))
    const lines = newest.text().split('\n')
    expect(lines).toHaveLength(11) // ten lines of a hundred characters, and the note
    expect(lines[0]).toBe(`${at(4990)} … older lines are not shown: a response has at most 2 MiB`)
    expect(lines.at(-1)).toBe(`${at(4999)} ${'x'.repeat(75)}`)
  })

  it('are empty if nothing was printed', () => expect(newestLines(10).text()).toBe(''))
})
