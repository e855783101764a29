import { expect, it } from 'vitest'
import { withRestarts } from './last-words.ts'

const second = (n: number) => new Date(n * 1000).toISOString()
const lines = [1, 2, 5, 6, 9].map((n) => ({ at: second(n), stream: 'stdout' as const, line: `at ${n}` }))
const shown = (starts: readonly number[]) => withRestarts(lines, starts.map(second)).map(({ line }) => line)

const AGAIN = '--- The container was started again ---'

it('one start of a container is apart from the next, whatever order they were seen in', () => {
  expect(shown([8, 4])).toEqual(['at 1', 'at 2', AGAIN, 'at 5', 'at 6', AGAIN, 'at 9'])
})

it('starts in which nothing was printed are one, and the first and the last need no line', () => {
  expect(shown([0, 3, 4, 10])).toEqual(['at 1', 'at 2', AGAIN, 'at 5', 'at 6', 'at 9'])
})
