import { expect, it } from 'vitest'
import { createHookRate } from './hook-rate.ts'

const start = new Date('2026-01-01T00:00:00Z')

/** How many of so many calls are let through. */
function caller() {
  let at = start
  const isWithin = createHookRate(() => at)
  const call = (count: number, app: { id: number; hook_by: number }) =>
    Array.from({ length: count }, () => isWithin(app)).filter((each) => each).length
  return { call, pass: (ms: number) => (at = new Date(at.getTime() + ms)) }
}

it('a hook can be called 120 times a minute', () => {
  const { call, pass } = caller()
  expect(call(130, { id: 1, hook_by: 7 })).toBe(120)
  pass(60_000)
  expect(call(130, { id: 1, hook_by: 7 })).toBe(120)
})

it('all hooks of one person can be called 600 times a minute, and those of others go on', () => {
  const { call } = caller()
  const calls = Array.from({ length: 10 }, (_, app) => call(100, { id: app, hook_by: 7 }))
  expect(calls).toEqual([100, 100, 100, 100, 100, 100, 0, 0, 0, 0])
  expect(call(100, { id: 99, hook_by: 8 })).toBe(100)
})

it('calls beyond the limit of one hook take nothing from the other hooks of its maker', () => {
  const { call } = caller()
  call(10_000, { id: 1, hook_by: 7 })
  expect(call(120, { id: 2, hook_by: 7 })).toBe(120)
})
