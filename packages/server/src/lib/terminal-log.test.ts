import { expect, it } from 'vitest'
import { createTerminalLines } from './terminal-log.ts'

const at = new Date(2026, 0, 2, 10, 20, 30).toISOString()
const line = (fields: object) => JSON.stringify({ level: 30, time: at, ...fields })
const plain = () => createTerminalLines({ useColours: false, now: () => 0 })

it('prints the time, the level, a sentence and the fields', () => {
  expect(plain()(line({ port: 8080, chain: 'BERTH-8080', msg: 'firewall rules for apps added' }))).toBe(
    '10:20:30 info  Firewall rules for apps added port=8080 chain=BERTH-8080\n',
  )
})

it('colours the level where colours are wanted', () => {
  const print = createTerminalLines({ useColours: true, now: () => 0 })
  expect(print(line({ level: 40, msg: 'the engine does not answer' }))).toContain('\u001b[33mwarn \u001b[0m The engine does not answer')
})

it('tells why without a stack in a warning, and with the stack in an error', () => {
  const err = { message: 'connect ENOENT', stack: 'Error: connect ENOENT\n    at connect (node:net:1)\n    at next (node:net:2)' }
  expect(plain()(line({ level: 40, err, msg: 'no engine' }))).toBe('10:20:30 warn  No engine: connect ENOENT\n')
  expect(plain()(line({ level: 50, err, msg: 'job failed' }))).toBe(
    '10:20:30 error Job failed: connect ENOENT\n    at connect (node:net:1)\n    at next (node:net:2)\n',
  )
})

it('prints a warning that repeats once in ten minutes, and a different one at once', () => {
  let now = 0
  const print = createTerminalLines({ useColours: false, now: () => now })
  const warning = line({ level: 40, msg: 'no engine' })
  expect(print(warning)).not.toBe('')
  now = 60_000
  expect(print(warning)).toBe('')
  expect(print(line({ level: 40, msg: 'no edge' }))).not.toBe('')
  now = 11 * 60_000
  expect(print(warning)).not.toBe('')
  expect(print(line({ msg: 'ready' }))).toBe(print(line({ msg: 'ready' })))
})

it('shows requests that change something or fail, and leaves out answered GETs', () => {
  const request = { requestId: 'a', path: '/api/apps', status: 200, ms: 3.2, userId: 1, msg: 'request' }
  expect(plain()(line({ ...request, method: 'GET' }))).toBe('')
  expect(plain()(line({ ...request, method: 'POST' }))).toBe('10:20:30 info  POST /api/apps 200, 3.2 ms\n')
  expect(plain()(line({ ...request, method: 'GET', status: 404 }))).toContain('GET /api/apps 404')
})

it('never passes on what would steer the terminal', () => {
  const hostile = '\u001b[2J\u001b]0;owned\u0007\rtext\n\u001b[31mred'
  const printed = plain()(line({ level: 50, path: hostile, err: { message: hostile, stack: `Error\n    at ${hostile}` }, msg: hostile }))
  expect(printed.split('').filter((character) => character < ' ' && character !== '\n')).toEqual([])
  expect(
    printed
      .split('\n')
      .slice(1, -1)
      .every((call) => call.startsWith('    at ')),
  ).toBe(true)
})
