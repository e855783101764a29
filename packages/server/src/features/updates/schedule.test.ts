import { expect, it } from 'vitest'
import { isAutomatic, isWithin } from './schedule.ts'

const at = (time: string) => new Date(`2026-03-01T${time}:00Z`)

it('a window has a beginning and an end, and may span midnight', () => {
  expect(['01:59', '02:00', '03:59', '04:00'].map((time) => isWithin('02:00-04:00', at(time)))).toEqual([false, true, true, false])
  expect(['21:59', '22:00', '00:30', '04:00'].map((time) => isWithin('22:00-04:00', at(time)))).toEqual([false, true, true, false])
  expect(isWithin('', at('12:00'))).toBe(true)
})

it('updates by itself only as far as it was told to, and not to a version that failed here', () => {
  const known = {
    settings: { automaticUpdates: 'patch', updateWindow: '' },
    running: '1.2.3',
    offered: '1.2.4',
    failed: [],
    now: at('12:00'),
  } as const
  expect(isAutomatic(known)).toBe(true)
  expect(isAutomatic({ ...known, offered: '1.3.0' })).toBe(false)
  expect(isAutomatic({ ...known, offered: '1.3.0', settings: { automaticUpdates: 'all', updateWindow: '' } })).toBe(true)
  expect(isAutomatic({ ...known, settings: { automaticUpdates: 'off', updateWindow: '' } })).toBe(false)
  expect(isAutomatic({ ...known, settings: { automaticUpdates: 'patch', updateWindow: '02:00-04:00' } })).toBe(false)
  const failed = { to: '1.2.4', endedAt: '2026-02-01T12:00:00Z' }
  expect(isAutomatic({ ...known, failed: [{ ...failed, failedIn: 'rehearsing' }] })).toBe(false)
  expect(isAutomatic({ ...known, failed: [{ ...failed, failedIn: 'watching', to: '1.2.2' }] })).toBe(true)
})

it('a download that failed is tried again a day later', () => {
  const settings = { automaticUpdates: 'all', updateWindow: '' } as const
  const failed = [{ to: '1.2.4', failedIn: 'downloading', endedAt: '2026-03-01T12:00:00Z' }] as const
  const isTried = (now: Date) => isAutomatic({ settings, running: '1.2.3', offered: '1.2.4', failed, now })
  expect([at('18:00'), new Date('2026-03-02T12:00:00Z')].map(isTried)).toEqual([false, true])
})
