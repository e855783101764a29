import { expect, it } from 'vitest'
import { createSlowDown } from './slow-down.ts'

it('slows an account down after five failures, never for long, and forgives a success', () => {
  let now = 0
  const slowDown = createSlowDown(() => new Date(now))
  const delays = Array.from({ length: 14 }, () => {
    slowDown.failed('a@example.test')
    return slowDown.delayMs('a@example.test')
  })
  expect(delays.slice(0, 4)).toEqual([0, 0, 0, 0])
  expect(delays.slice(4)).toEqual([100, 200, 400, 800, 1600, 3000, 3000, 3000, 3000, 3000])
  expect(slowDown.delayMs('b@example.test')).toBe(0)
  now += 16 * 60 * 1000
  expect(slowDown.delayMs('a@example.test')).toBe(0)
  now = 0
  slowDown.succeeded('a@example.test')
  expect(slowDown.delayMs('a@example.test')).toBe(0)
})
