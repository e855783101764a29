import { expect, it } from 'vitest'
import { failuresOutside } from '../lib/failures-outside.mjs'

const passed = { failures: [] }
const failed = { failures: ['a test'] }
const error = 'Error: unhandled'

it.each([
  ['nothing', [{ exitCode: 0, files: [passed], outside: [] }], 0],
  ['a failed test', [{ exitCode: 1, files: [passed, failed], outside: [] }], 0],
  ['an error outside of every test', [{ exitCode: 1, files: [passed], outside: [error] }], 1],
  ['an error beside a failed test', [{ exitCode: 1, files: [failed], outside: [error] }], 1],
  [
    'an error beside a test that passes the second time',
    [
      { exitCode: 1, files: [failed], outside: [error] },
      { exitCode: 0, files: [passed], outside: [] },
    ],
    1,
  ],
  [
    'an error in the second run',
    [
      { exitCode: 1, files: [failed], outside: [] },
      { exitCode: 1, files: [passed], outside: [error, error] },
    ],
    2,
  ],
  ['a run that fails and does not say why', [{ exitCode: 1, files: [passed], outside: [] }], 1],
  ['a run that ends without a report', [{ exitCode: 1, files: [], outside: [] }], 1],
])('%s is counted as it should', (_, runs, count) => {
  expect(failuresOutside(runs)).toBe(count)
})
