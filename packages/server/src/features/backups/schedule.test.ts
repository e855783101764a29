import { expect, it } from 'vitest'
import { nextBackupAt } from './schedule.ts'

const [setUpAt, newest] = ['2026-01-01T00:00:00.000Z', '2026-01-05T12:00:00.000Z']

it.each([
  ['a day after the newest one', { schedule: 'daily', newest, setUpAt }, '2026-01-06T12:00:00.000Z'],
  ['a week after the newest one', { schedule: 'weekly', newest, setUpAt }, '2026-01-12T12:00:00.000Z'],
  ['a day after the set-up, when there is none', { schedule: 'daily', newest: undefined, setUpAt }, '2026-01-02T00:00:00.000Z'],
  ['never, when it is off', { schedule: 'off', newest, setUpAt }, undefined],
  ['not before the set-up', { schedule: 'daily', newest: undefined, setUpAt: undefined }, undefined],
] as const)('the next backup is due %s', (_, known, expected) => {
  expect(nextBackupAt(known)?.toISOString()).toBe(expected)
})
