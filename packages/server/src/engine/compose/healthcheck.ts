import { commandOf } from './parts.ts'
import { mapping, matching, refuse } from './refuse.ts'

// More digits only follow after a unit: otherwise a long number could be divided in very many ways.
const DURATION = /^\d{1,12}(\.\d{1,9})?((us|ms|s|m|h)(\d{1,12}(us|ms|s|m|h)){0,9})?$/
const PART = /(\d+(?:\.\d+)?)(us|ms|s|m|h)?/g
const MS = { us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const
const DAY_MS = 24 * MS.h

/** A duration in milliseconds, whatever units it is written in; seconds where there is none. */
export function durationMs(value: unknown, at: string, longestMs: number = DAY_MS): number {
  const text = matching(value, at, DURATION)
  const parts = [...text.matchAll(PART)].map(
    ([, amount, unit]) => Number(amount) * (Object.entries(MS).find(([name]) => name === unit)?.[1] ?? MS.s),
  )
  const sum = Math.round(parts.reduce((all, part) => all + part, 0))
  return sum > longestMs ? refuse(at, `must be at most ${longestMs / MS.m}m`) : sum
}

/** As every version of Compose reads it. */
export function durationText(ms: number): string {
  return ms % MS.s === 0 ? `${ms / MS.s}s` : `${ms}ms`
}

export function healthcheckOf(value: unknown, at: string): Record<string, unknown> {
  const given = mapping(value, at, ['test', 'interval', 'timeout', 'retries', 'start_period', 'start_interval', 'disable'])
  const durations = ['interval', 'timeout', 'start_period'].flatMap((key) =>
    given[key] === undefined ? [] : [[key, durationMs(given[key], `${at}.${key}`)] as const],
  )
  // Each check is a process of the engine's, outside of the service's limits.
  if (durations.some(([key, ms]) => key === 'interval' && ms < MS.s)) refuse(`${at}.interval`, 'must be at least 1s')
  return {
    ...(given['test'] === undefined ? {} : { test: commandOf(given['test'], `${at}.test`) }),
    ...Object.fromEntries(durations.map(([key, ms]) => [key, durationText(ms)])),
    ...(given['retries'] === undefined ? {} : { retries: Number(matching(given['retries'], `${at}.retries`, /^\d{1,3}$/)) }),
    ...(given['disable'] === true ? { disable: true } : {}),
  }
}
