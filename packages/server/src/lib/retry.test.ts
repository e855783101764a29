import { describe, expect, it, vi } from 'vitest'
import { backoffMs, poll, retry } from './retry.ts'

describe('poll', () => {
  it('looks until it is as wanted, and gives what was found', async () => {
    let looks = 0
    const look = async () => (looks += 1)
    expect(await poll(look, { until: (found) => found === 3, everyMs: 1, forMs: 60_000 })).toBe(3)
    expect(looks).toBe(3)
  })

  it('gives what was found last when the time is over, having looked once at the least', async () => {
    const look = vi.fn(async () => 'not yet')
    expect(await poll(look, { until: () => false, everyMs: 1, forMs: -1 })).toBe('not yet')
    expect(look).toHaveBeenCalledTimes(1)
    expect(await poll(look, { until: () => false, everyMs: 1, forMs: 20 })).toBe('not yet')
    expect(look.mock.calls.length).toBeGreaterThan(2)
  })

  it('ends with the signal, while it looks and while it waits, and passes on what a look throws', async () => {
    const told = new AbortController()
    const wait = { until: () => false, everyMs: 60_000, forMs: 600_000, signal: told.signal }
    const waiting = poll(async () => 0, wait)
    setImmediate(() => told.abort(new Error('enough')))
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    const look = vi.fn(async () => 0)
    await expect(poll(look, wait)).rejects.toThrow('enough')
    expect(look).toHaveBeenCalledTimes(1)
    await expect(poll(async () => await Promise.reject(new Error('broken')), wait)).rejects.toThrow('broken')
  })
})

describe('retry', () => {
  const always = { mayPass: () => true, delayMs: () => 1 }
  const failing = (times: number) => {
    let tries = 0
    return vi.fn(async () => {
      tries += 1
      if (tries <= times) throw new Error(`failure ${tries}`)
      return `worked at ${tries}`
    })
  }

  it('tries until it works, and says once that it failed', async () => {
    const onFirstFailure = vi.fn()
    expect(await retry(failing(3), { ...always, onFirstFailure })).toBe('worked at 4')
    expect(onFirstFailure).toHaveBeenCalledTimes(1)
    expect(await retry(failing(0), { ...always, onFirstFailure })).toBe('worked at 1')
    expect(onFirstFailure).toHaveBeenCalledTimes(1)
  })

  it('throws the last failure: of one that does not pass, after the last delay, and when the time is over', async () => {
    const mayPass = (cause: unknown) => cause instanceof Error && cause.message !== 'failure 2'
    await expect(retry(failing(9), { ...always, mayPass })).rejects.toThrow('failure 2')
    await expect(retry(failing(9), { ...always, delayMs: (failures) => [1, 1][failures - 1] })).rejects.toThrow('failure 3')
    await expect(retry(failing(9), { ...always, forMs: -1 })).rejects.toThrow('failure 1')
  })

  it('begins no further try once its signal ends', async () => {
    const told = new AbortController()
    const attempt = vi.fn(async () => {
      told.abort(new Error('enough'))
      throw new Error('a failure')
    })
    await expect(retry(attempt, { ...always, signal: told.signal })).rejects.toThrow('a failure')
    expect(attempt).toHaveBeenCalledTimes(1)
  })
})

it('waits twice as long after each failure, up to the longest', () => {
  const waits = [0, 1, 2, 3, 6, 7, 2000].map((failures) => backoffMs(failures, { firstMs: 1000, longestMs: 60_000 }))
  expect(waits).toEqual([1000, 1000, 2000, 4000, 32_000, 60_000, 60_000])
})
