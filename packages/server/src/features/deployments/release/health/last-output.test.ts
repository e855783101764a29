import { expect, it } from 'vitest'
import { withRestarts } from './last-output.ts'

const second = (n: number) => new Date(n * 1000).toISOString()
const lines = [1, 2, 5, 6, 9].map((n) => ({ at: second(n), stream: 'stdout' as const, line: `at ${n}` }))
const shown = (ends: readonly number[]) => withRestarts(lines, ends.map(second)).map(({ line }) => line)

const AGAIN = '--- The container was restarted ---'

it('a line separates one start of a container from the next, in whatever order the ends are given', () => {
  expect(shown([8, 4])).toEqual(['at 1', 'at 2', AGAIN, 'at 5', 'at 6', AGAIN, 'at 9'])
})

it('starts that printed nothing share one line, and there is none before the first or after the last', () => {
  expect(shown([0, 3, 4, 10])).toEqual(['at 1', 'at 2', AGAIN, 'at 5', 'at 6', 'at 9'])
})
