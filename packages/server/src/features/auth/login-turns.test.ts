import { expect, it } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { createLoginTurns } from './login-turns.ts'

/** Turns whose waits end when the test says so. */
function setUp(wait = 100) {
  const waits: { ms: number; end: () => void }[] = []
  const judged: string[] = []
  const turns = createLoginTurns({
    waitMs: () => wait,
    sleep: async (ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waits.push({ ms, end: resolve })
      signal.addEventListener('abort', () => resolve())
      await promise
    },
  })
  const settled = async () => await new Promise((resolve) => setImmediate(resolve))
  const take = async (slot: number, name: string) =>
    await turns.take(slot, async () => {
      judged.push(name)
      await settled() // a hash takes its time
      return name
    })
  const nextWait = async () => {
    waits.shift()?.end()
    await settled()
    await settled()
  }
  return { take, stop: turns.stop, waits, judged, nextWait, settled }
}

it('judges the tries of one account one at a time, each after a wait of its own, the newest first', async () => {
  const { take, waits, judged, nextWait } = setUp()
  const all = ['first', 'second', 'third'].map(async (name) => await take(1, name))
  expect([waits.length, judged]).toEqual([1, []])
  await nextWait()
  expect([waits.length, judged]).toEqual([1, ['third']])
  const owner = take(1, 'owner')
  await nextWait()
  expect([waits.length, judged]).toEqual([1, ['third', 'owner']])
  expect(await owner).toBe('owner')
  await nextWait()
  await nextWait()
  expect(await Promise.all(all)).toEqual(['first', 'second', 'third'])
  expect([waits.length, judged]).toEqual([0, ['third', 'owner', 'second', 'first']])
})

it('keeps accounts apart, and nobody waits who need not', async () => {
  const { take, waits, judged } = setUp(0)
  await Promise.all([take(1, 'one'), take(2, 'two')])
  expect([waits, judged]).toEqual([[], ['one', 'two']])
})

it('hands a failure to the one who tried, and goes on', async () => {
  const turns = createLoginTurns({ waitMs: () => 0 })
  const failing = turns.take(1, async () => await Promise.reject(new Error('no database')))
  const next = turns.take(1, async () => await Promise.resolve('judged'))
  await expect(failing).rejects.toThrow('no database')
  expect(await next).toBe('judged')
})

it('lets 500 wait for an account and 1,000 in all, and sends the oldest away unjudged', async () => {
  const { take, judged, stop } = setUp()
  const ends: string[] = []
  const begin = (slot: number, name: string) =>
    void take(slot, name).catch((cause: unknown) => ends.push(`${name}: ${cause instanceof AppError ? cause.code : String(cause)}`))
  for (let n = 0; n < 501; n += 1) begin(1, `a${n}`)
  await Promise.resolve()
  for (let slot = 2; slot < 503; slot += 1) begin(slot, `b${slot}`)
  await new Promise((resolve) => setImmediate(resolve))
  expect(ends).toEqual(['a0: too_many_logins', 'a1: too_many_logins'])
  stop()
  await new Promise((resolve) => setImmediate(resolve))
  expect(ends).toHaveLength(501 + 501)
  expect(new Set(ends.slice(2).map((end) => end.split(': ')[1]))).toEqual(new Set(['stopping']))
  expect(judged).toEqual([])
})

it('takes nobody any more once it has stopped', async () => {
  const { take, stop } = setUp()
  stop()
  await expect(take(1, 'late')).rejects.toMatchObject({ code: 'stopping' })
})
