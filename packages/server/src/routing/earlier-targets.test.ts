import { expect, it } from 'vitest'
import { createEarlierTargets } from './earlier-targets.ts'

const [a, b] = [
  { ip: '10.0.0.1', port: 80 },
  { ip: '10.0.0.2', port: 80 },
]

it('a endpoint had each set that it left in the last minutes, and has not returned to', () => {
  let at = 0
  const earlier = createEarlierTargets(() => at)
  const note = (...targets: (typeof a)[]) => earlier.note([{ appKey: 'app-1', targets }])
  note(a, b)
  note(b, a) // the same set
  expect(earlier.of('app-1')).toEqual([])
  note(a)
  expect(earlier.of('app-1')).toEqual([[b, a]])
  note(a, b)
  expect(earlier.of('app-1')).toEqual([[a]])
  note(b)
  expect(earlier.of('app-1')).toEqual([[a], [a, b]])
  at = 11 * 60_000
  expect(earlier.of('app-1')).toEqual([])
  earlier.note([])
  note(a)
  expect(earlier.of('app-1')).toEqual([])
})
