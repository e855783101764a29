import { describe, expect, it } from 'vitest'
import { changedSince } from './changed-since.ts'

describe('variables changed since the last deployment', () => {
  const variables = [
    { id: 1, updatedAt: '2026-01-01T00:00:00Z' },
    { id: 2, updatedAt: '2026-01-03T00:00:00Z' },
  ]

  it('are those touched after the live release was added', () => {
    expect([...changedSince(variables, { created_at: '2026-01-02T00:00:00Z' })]).toEqual([2])
  })

  it('are none when nothing is live', () => {
    expect(changedSince(variables, undefined).size).toBe(0)
  })
})
