import { describe, expect, it, vi } from 'vitest'
import { backoffMs, poll, retry, steadily } from './retry.ts'

describe('poll', () => {
  it('reads until the value is the right one', async () => {
    let reads = 0
    expect(await poll(async () => (reads += 1), { until: (value) => value === 3, everyMs: 1, limitMs: 60_000 })).toBe(3)
    expect(reads).toBe(3)
  })

  it('returns the value read last when the limit has passed, and reads at least once', async () => {
    const read = vi.fn<() => Promise<string>>(async () => 'not yet')
    expect(await poll(read, { until: () => false, everyMs: 1, limitMs: -1 })).toBe('not yet')
    expect(read).toHaveBeenCalledTimes(1)
    expect(await poll(read, { until: () => false, everyMs: 1, limitMs: 20 })).toBe('not yet')
    expect(read.mock.calls.length).toBeGreaterThan(2)
  })

  it('stops waiting when its signal aborts', async () => {
    const aborting = new AbortController()
    const options = { until: () => false, everyMs: 60_000, limitMs: 600_000, signal: aborting.signal }
    const waiting = poll(async () => 0, options)
    setImmediate(() => aborting.abort())
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    const read = vi.fn<() => Promise<number>>(async () => 0)
    await expect(poll(read, options)).rejects.toMatchObject({ name: 'AbortError' })
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('passes on what a read throws', async () => {
    const read = async () => await Promise.reject(new Error('broken'))
    await expect(poll(read, { until: () => true, everyMs: 1, limitMs: 60_000 })).rejects.toThrow('broken')
  })
})

describe('retry', () => {
  const always = { isTransient: () => true, delayMs: () => 1 }
  const failing = (times: number) => {
    let tries = 0
    return async () => {
      tries += 1
      if (tries <= times) throw new Error(`failure ${tries}`)
      return `worked at try ${tries}`
    }
  }

  it('tries until it works', async () => {
    expect(await retry(failing(0), always)).toBe('worked at try 1')
    expect(await retry(failing(3), always)).toBe('worked at try 4')
  })

  it('throws the failure that is permanent, or that follows the last delay', async () => {
    const isTransient = (cause: unknown) => cause instanceof Error && cause.message !== 'failure 2'
    await expect(retry(failing(9), { ...always, isTransient })).rejects.toThrow('failure 2')
    await expect(retry(failing(9), { ...always, delayMs: (failures) => [1, 1][failures - 1] })).rejects.toThrow('failure 3')
  })

  it('says before each delay that it waits', async () => {
    const waits: number[] = []
    await retry(failing(2), { ...always, onWait: (failures) => waits.push(failures) })
    expect(waits).toEqual([1, 2])
  })

  it('gives up at the first failure after the limit', async () => {
    await expect(retry(failing(9), { ...always, delayMs: steadily(1, -1) })).rejects.toThrow('failure 1')
    expect(await retry(failing(9), { ...always, delayMs: steadily(1, 60_000) })).toBe('worked at try 10')
  })

  it('does not try again once its signal aborts', async () => {
    const aborting = new AbortController()
    const attempt = vi.fn<() => Promise<never>>(async () => {
      aborting.abort()
      throw new Error('failed')
    })
    await expect(retry(attempt, { ...always, signal: aborting.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(attempt).toHaveBeenCalledTimes(1)
  })
})

it('the backoff doubles up to the longest delay', () => {
  const delays = [0, 1, 2, 3, 6, 7, 2000].map((failures) => backoffMs(failures, { firstMs: 1000, longestMs: 60_000 }))
  expect(delays).toEqual([1000, 1000, 2000, 4000, 32_000, 60_000, 60_000])
})
