import { expect, it } from 'vitest'
import { jsonOf, levelOf } from './log-level.ts'

it.each([
  ['2026-01-01 12:00:00 ERROR could not connect', 'error'],
  ['[error] it broke', 'error'],
  ['Error: no such file', 'error'],
  ['time=12:00 level=warn msg="slow"', 'warn'],
  ['WARN  slow query', 'warn'],
  ['info: listening on 8080', 'info'],
  ['[DEBUG] cache miss', 'debug'],
  ['{"level":"error","msg":"x"}', 'error'],
  ['{"level":40,"msg":"x"}', 'warn'],
  ['{"severity":"INFO","msg":"no ERROR here"}', 'info'],
  ['{"level":20}', 'debug'],
  ['replica 1 | {"level":"error","msg":"x"}', 'error'],
  ['worker replica 12 | warn cache missed', 'warn'],
  ['web-1.internal | info listening', 'info'],
] as const)('%s is %s', (text, level) => expect(levelOf(text)).toBe(level))

it.each(['GET /errors 200', 'all is well, no error at all', '{"msg":"ERROR"}', 'terror', ''])('%s names no level', (text) =>
  expect(levelOf(text)).toBeUndefined(),
)

it('reads one JSON object and nothing else', () => {
  expect(jsonOf(' {"a":1} ')).toEqual({ a: 1 })
  expect(jsonOf('replica 2 | {"a":1}')).toEqual({ a: 1 })
  expect([jsonOf('[1]'), jsonOf('{a}'), jsonOf('text')]).toEqual([undefined, undefined, undefined])
})
