import { flag, mapping, matching, refuse, scalar, texts } from './refuse.ts'
import type { StackHealthcheck } from './stack.ts'

// More digits only follow after a unit: otherwise a long number could be divided in very many ways.
const DURATION = /^\d{1,12}(\.\d{1,9})?((us|ms|s|m|h)(\d{1,12}(us|ms|s|m|h)){0,9})?$/
const PART = /(\d+(?:\.\d+)?)(us|ms|s|m|h)?/g
const MS = { us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const
const DAY_MS = 24 * MS.h

/** A duration in milliseconds, in any of Compose's units; a number without a unit is in seconds. */
export function durationMs(value: unknown, at: string, longestMs: number = DAY_MS): number {
  const text = matching(value, at, DURATION)
  const parts = [...text.matchAll(PART)].map(
    ([, amount, unit]) => Number(amount) * (Object.entries(MS).find(([name]) => name === unit)?.[1] ?? MS.s),
  )
  const sum = Math.round(parts.reduce((all, part) => all + part, 0))
  return sum > longestMs ? refuse(at, `must be at most ${longestMs / MS.m}m`) : sum
}

const TIMES = { interval: 'intervalMs', timeout: 'timeoutMs', start_period: 'startPeriodMs' } as const

export function healthcheckOf(value: unknown, at: string): StackHealthcheck {
  const given = mapping(value, at, ['test', 'interval', 'timeout', 'retries', 'start_period', 'start_interval', 'disable'])
  if (given['disable'] !== undefined && flag(given['disable'], `${at}.disable`)) return { test: ['NONE'] }
  const times = Object.entries(TIMES).flatMap(([key, name]) =>
    given[key] === undefined ? [] : [[name, durationMs(given[key], `${at}.${key}`)] as const],
  )
  // Each check is a process of the engine, outside the limits of the service.
  if (times.some(([name, ms]) => name === 'intervalMs' && ms < MS.s)) refuse(`${at}.interval`, 'must be at least 1s')
  return {
    ...(given['test'] === undefined ? {} : { test: testOf(given['test'], `${at}.test`) }),
    ...Object.fromEntries(times),
    ...(given['retries'] === undefined ? {} : { retries: Number(matching(given['retries'], `${at}.retries`, /^\d{1,3}$/)) }),
  }
}

/** A plain text is a command line for the container's shell. */
function testOf(value: unknown, at: string): string[] {
  if (!Array.isArray(value)) return ['CMD-SHELL', scalar(value, at)]
  const [kind, ...words] = texts(value, at)
  if (kind === 'NONE') return ['NONE']
  if (kind !== 'CMD' && kind !== 'CMD-SHELL') return refuse(at, 'must begin with CMD, CMD-SHELL or NONE')
  return words.length === 0 ? refuse(at, 'has no command') : [kind, ...words]
}
