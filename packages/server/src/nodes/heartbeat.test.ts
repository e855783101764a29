import { expect, it } from 'vitest'
import { afterBeat, isLongEnough, type Steady } from './heartbeat.ts'

/** Seconds at which the heartbeats of this run were written. */
function beatsAt(...seconds: readonly number[]): boolean {
  let steady: Steady | undefined
  let before = 0
  for (const second of seconds) {
    steady = afterBeat(steady, { at: second * 1000, before })
    before = second * 1000
  }
  return isLongEnough(steady)
}

it('a node is steady when its heartbeats have come without a gap for 15 seconds', () => {
  expect(isLongEnough(undefined)).toBe(false)
  expect(beatsAt(1, 3, 5, 8, 13)).toBe(false)
  expect(beatsAt(1, 3, 5, 8, 13, 16)).toBe(true)
})

it('begins to count anew after the database was away', () => {
  expect(beatsAt(1, 6, 11, 16, 23)).toBe(false)
  expect(beatsAt(1, 6, 11, 16, 23, 29, 35, 38)).toBe(true)
})
