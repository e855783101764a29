import { expect, it } from 'vitest'
import { createLastLine } from './last-line.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, 0, ms)).toISOString().replace('Z', '123456Z')

it('is the error where both streams were written at once, in whichever order they came', () => {
  for (const swap of [false, true]) {
    const last = createLastLine()
    const lines = [
      { line: '15', stream: 'stdout', at: at(10) },
      { line: ' ls: /data: No such file ', stream: 'stderr', at: at(9) },
    ] as const
    for (const line of swap ? lines.toReversed() : lines) last.add(line)
    expect(last.text()).toBe('ls: /data: No such file')
  }
})

it('is what was printed last, on either stream, without empty lines', () => {
  const last = createLastLine()
  expect(last.text()).toBe('')
  last.add({ line: 'a warning', stream: 'stderr', at: at(0) })
  last.add({ line: 'table users is missing', stream: 'stdout', at: at(500) })
  last.add({ line: ' ', stream: 'stdout', at: at(600) })
  expect(last.text()).toBe('table users is missing')
  last.add({ line: 'fatal: no table', stream: 'stderr', at: at(900) })
  expect(last.text()).toBe('fatal: no table')
})
