import { expect, it } from 'vitest'
import { isAboutHost } from './rate-limit.ts'
import { pauseMs } from './schedule.ts'

it.each([
  ['too many certificates (50) already issued for "example.com" in the last 168h0m0s, retry after 2030-01-01', true],
  ['too many certificates (5) already issued for this exact set of identifiers in the last 168h0m0s', true],
  ['too many failed authorizations (5) for "www.example.com" in the last 1h0m0s', true],
  ['Example.com was ordered too often', true],
  ['too many new orders (300) from this account in the last 3h0m0s: see https://letsencrypt.org/docs/rate-limits/', false],
  ['too many new registrations (10) from this IP address in the last 3h0m0s', false],
  ['the limit of notexample.com and of com is reached', false],
  ['Service busy; retry later.', false],
])('%s: is it about www.example.com? %s', (detail, expected) => {
  expect(isAboutHost('www.example.com', detail)).toBe(expected)
})

it('a pause lasts as long as the authority says, otherwise longer each time, and never more than three hours', () => {
  const minutes = (failures: number, retryAfterMs?: number) => pauseMs(failures, retryAfterMs) / 60_000
  expect([minutes(1), minutes(2), minutes(3), minutes(9)]).toEqual([5, 10, 20, 180])
  expect([minutes(1, 60_000), minutes(4, 3_600_000), minutes(1, 500 * 3_600_000)]).toEqual([1, 60, 180])
})
