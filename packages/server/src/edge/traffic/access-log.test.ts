import { expect, it } from 'vitest'
import { parseAccessLine } from './access-log.ts'

it('a log line has the app, the status, the latency and the bytes', () => {
  expect(parseAccessLine('a12|rs 200 5 283 96')).toEqual({ appKey: 'a12', status: 200, latencyMs: 5, bytesOut: 283, bytesIn: 96 })
  expect(parseAccessLine('a12| 101 5 283 96')?.latencyMs).toBeUndefined()
  expect(parseAccessLine('a12| 502 -1 283 96')?.latencyMs).toBeUndefined()
  for (const other of ['- 404 -1 378 87', '', 'a12| 200', 'a12| x 5 283 96', 'a12| 200 5 283 96 7'])
    expect(parseAccessLine(other)).toBeUndefined()
})
