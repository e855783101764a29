import { describe, expect, it } from 'vitest'
import { durationWords, relativeTime } from './time.ts'

const now = new Date('2026-03-01T12:00:00Z')
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000)

describe('relative times', () => {
  it.each([
    [0, 'just now'],
    [9, 'just now'],
    [30, '30 seconds ago'],
    [60, '1 minute ago'],
    [44 * 60, '44 minutes ago'],
    [50 * 60, '1 hour ago'],
    [21 * 3600, '21 hours ago'],
    [24 * 3600, 'yesterday'],
    [6 * 86_400, '6 days ago'],
    [45 * 86_400, 'last month'],
    [800 * 86_400, '2 years ago'],
  ])('says %i seconds ago as "%s"', (seconds, words) => {
    expect(relativeTime(ago(seconds), now)).toBe(words)
  })

  it('speaks of the future too', () => {
    expect(relativeTime(ago(-3 * 86_400), now)).toBe('in 3 days')
  })
})

describe('durations', () => {
  it.each([
    [0, 'under 1 s'],
    [1, '1 s'],
    [59.6, '1 min'],
    [125, '2 min 5 s'],
    [3600, '1 h'],
    [3840, '1 h 4 min'],
    [90_000, '1 d 1 h'],
  ])('says %d seconds as "%s"', (seconds, words) => {
    expect(durationWords(seconds)).toBe(words)
  })
})
