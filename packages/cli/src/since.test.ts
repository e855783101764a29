import { describe, expect, it } from 'vitest'
import { sinceOf } from './since.ts'

const now = new Date('2026-01-02T12:00:00Z')

describe('--since', () => {
  it.each([
    ['30s', '2026-01-02T11:59:30.000Z'],
    ['10m', '2026-01-02T11:50:00.000Z'],
    ['2h', '2026-01-02T10:00:00.000Z'],
    ['1d', '2026-01-01T12:00:00.000Z'],
    ['2026-01-01T08:00:00+01:00', '2026-01-01T07:00:00.000Z'],
  ])('reads %s', (text, at) => {
    expect(sinceOf(text, now)).toBe(at)
  })

  it.each(['yesterday', '10', 'm', '-5m', '2026-99-01'])('refuses %s', (text) => {
    expect(() => sinceOf(text, now)).toThrow('--since must be')
  })
})
