import { expect, it } from 'vitest'
import { nextBackupAt, outdated } from './schedule.ts'

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

it('all backups of the newest days are kept, even if one day has many', () => {
  const backup = (createdAt: string) => ({ name: createdAt, createdAt, bytes: 1, isEncrypted: false })
  const made = ['2026-01-05T09:00', '2026-01-05T08:00', '2026-01-04T08:00', '2026-01-02T08:00'].map(backup)
  expect(outdated(made, 2).map(({ name }) => name)).toEqual(['2026-01-02T08:00'])
})
