import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLimiter, LimiterFull, type Limits } from './limiter.ts'

const LIMITS: Limits = { running: 2, runningPerKey: 1, waiting: 3, waitingPerKey: 2, waitMs: 60_000 }

/** Work that ends when it is told to, and the order in which it began. */
function lab(limits: Partial<Limits> = {}) {
  const limiter = createLimiter({ ...LIMITS, ...limits })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const start = (name: string, signal?: AbortSignal): Promise<string> => {
    const work = async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(name, resolve)
      await promise
      return name
    }
    const result = limiter.run(name[0] ?? '', work, signal)
    result.catch(() => undefined) // looked at by those who expect it
    return result
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { limiter, begun, start, end }
}

describe('a limiter', () => {
  it('runs so many at once, of one key and of all, and answers what the work answers', async () => {
    const { begun, start, end } = lab()
    const first = start('a1')
    for (const name of ['a2', 'b1', 'c1']) void start(name)
    expect(begun).toEqual(['a1', 'b1'])
    await end('a1')
    expect(await first).toBe('a1')
    expect(begun).toEqual(['a1', 'b1', 'c1'])
    await end('b1')
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
  })

  it('lets the keys take turns, however much one of them asks for', async () => {
    const { begun, start, end } = lab({ running: 1, waiting: 10, waitingPerKey: 5 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void start(name)
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(name)
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  it('refuses at once when as many wait as may, of one key or of all', async () => {
    const { begun, start } = lab()
    for (const name of ['a1', 'a2', 'a3']) void start(name)
    await expect(start('a4')).rejects.toThrow(LimiterFull)
    for (const name of ['b1', 'b2']) void start(name)
    await expect(start('c1')).rejects.toThrow(LimiterFull)
    expect(begun).toEqual(['a1', 'b1'])
  })

  it('rejects work that has waited too long, and frees its place in the queue', async () => {
    const { begun, start, end } = lab({ waiting: 1, waitMs: 20 })
    void start('a1')
    await expect(start('a2')).rejects.toThrow(LimiterFull)
    const later = start('a3')
    await end('a1')
    await end('a3')
    expect([await later, begun]).toEqual(['a3', ['a1', 'a3']])
  })

  it('drops work that is aborted while it waits, and never starts it', async () => {
    const { begun, start, end } = lab()
    const stop = new AbortController()
    void start('a1')
    const waiting = start('a2', stop.signal)
    stop.abort(new Error('gone home'))
    await expect(waiting).rejects.toThrow('gone home')
    await expect(start('b1', stop.signal)).rejects.toThrow('gone home')
    await end('a1')
    expect(begun).toEqual(['a1'])
  })

  it('frees the slot if the work fails', async () => {
    const { limiter, begun, start } = lab()
    await expect(limiter.run('a', async () => await Promise.reject(new Error('a mistake')))).rejects.toThrow('a mistake')
    void start('a1')
    expect(begun).toEqual(['a1'])
  })

  it('never runs more than the limit and forgets nobody', async () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 })
    const limits = fc.record({ running: fc.integer({ min: 1, max: 4 }), runningPerKey: fc.integer({ min: 1, max: 3 }) })
    await fc.assert(
      fc.asyncProperty(keys, limits, async (asked, { running, runningPerKey }) => {
        const limiter = createLimiter({ running, runningPerKey, waiting: 40, waitingPerKey: 20, waitMs: 60_000 })
        const now: string[] = []
        const work = async (key: string) => {
          now.push(key)
          expect(now.length).toBeLessThanOrEqual(running)
          expect(now.filter((each) => each === key).length).toBeLessThanOrEqual(runningPerKey)
          await new Promise((resolve) => setImmediate(resolve))
          now.splice(now.indexOf(key), 1)
        }
        const outcomes = await Promise.allSettled(asked.map(async (key) => await limiter.run(key, async () => await work(key))))
        const reasons: unknown[] = outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as unknown) : undefined))
        expect(reasons.filter((reason) => reason !== undefined && !(reason instanceof LimiterFull))).toEqual([])
        expect(now).toEqual([])
      }),
    )
  })
})
