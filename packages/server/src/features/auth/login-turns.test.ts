import { expect, it } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { createLoginTurns, type LoginAttempt } from './login-turns.ts'

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
  const take = async (slot: number, name: string, tried?: LoginAttempt) => {
    const judge = async () => {
      judged.push(name)
      await settled() // a hash takes its time
      return name
    }
    return await turns.take(slot, judge, tried)
  }
  const nextWait = async () => {
    waits.shift()?.end()
    await settled()
    await settled()
  }
  return { take, stop: turns.stop, waits, judged, nextWait, settled }
}

it('checks the attempts of one account one at a time, each after its own delay, the newest first', async () => {
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

it('keeps accounts separate, and delays nobody unnecessarily', async () => {
  const { take, waits, judged } = setUp(0)
  await Promise.all([take(1, 'one'), take(2, 'two')])
  expect([waits, judged]).toEqual([[], ['one', 'two']])
})

it('passes an error to its own attempt, and continues', async () => {
  const turns = createLoginTurns({ waitMs: () => 0 })
  const failing = turns.take(1, async () => await Promise.reject(new Error('no database')))
  const next = turns.take(1, async () => await Promise.resolve('judged'))
  await expect(failing).rejects.toThrow('no database')
  expect(await next).toBe('judged')
})

it('lets 500 wait for an account and 1,000 in total, and rejects the oldest unchecked', async () => {
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

it('drops an attempt whose client has disconnected, but none that is being checked', async () => {
  const { take, judged, nextWait, settled } = setUp()
  const clients = ['owner', 'gone', 'judged'].map((name) => ({ name, connection: new AbortController() }))
  const ends = clients.map(
    async ({ name, connection }) =>
      await take(1, name, { signal: connection.signal }).catch((cause: unknown) =>
        cause instanceof AppError ? cause.code : String(cause),
      ),
  )
  clients[1]?.connection.abort()
  await settled()
  expect(await ends[1]).toBe('too_many_logins')
  await nextWait()
  clients[2]?.connection.abort()
  expect(await ends[2]).toBe('judged')
  await nextWait()
  expect(await ends[0]).toBe('owner')
  expect(judged).toEqual(['judged', 'owner'])
  await expect(take(1, 'late', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'too_many_logins' })
})

it('lets three of one address wait for an account and rejects the oldest of them', async () => {
  const { take, stop, settled } = setUp()
  const ends: string[] = []
  const begin = (slot: number, name: string, from?: string) =>
    void take(slot, name, { from }).catch((cause: unknown) =>
      ends.push(`${name}: ${cause instanceof AppError ? cause.code : String(cause)}`),
    )
  begin(1, 'owner', '203.0.113.8')
  for (let n = 0; n < 5; n += 1) begin(1, `a${n}`, '203.0.113.7')
  for (let n = 0; n < 3; n += 1) begin(2, `b${n}`, '203.0.113.7')
  for (let n = 0; n < 5; n += 1) begin(1, `c${n}`)
  await settled()
  expect(ends).toEqual(['a0: too_many_logins', 'a1: too_many_logins'])
  stop()
})

it('accepts no attempts once it has stopped', async () => {
  const { take, stop } = setUp()
  stop()
  await expect(take(1, 'late')).rejects.toMatchObject({ code: 'stopping' })
})

it('asks the database for one account at a time, and not for attempts whose clients have disconnected', async () => {
  const asked: number[] = []
  const first = Promise.withResolvers<number>()
  const takeTurn = async (slot: number) => {
    asked.push(slot)
    return slot === 1 ? await first.promise : 0
  }
  const turns = createLoginTurns({ waitMs: () => 0, takeTurn })
  const client = new AbortController()
  const judged: number[] = []
  const begin = async (slot: number, signal?: AbortSignal) => await turns.take(slot, async () => void judged.push(slot), { signal })
  const kept = [begin(1), begin(2)]
  const gone = Promise.allSettled([3, 4, 5].map(async (slot) => await begin(slot, client.signal)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual([1])
  client.abort()
  first.resolve(0)
  await Promise.all([...kept, gone])
  await begin(6)
  expect([asked, judged]).toEqual([
    [1, 2, 6],
    [1, 2, 6],
  ])
})

it('checks nobody without a turn: all that wait get the error', async () => {
  let isWritable = false
  const takeTurn = async () => (isWritable ? 0 : await Promise.reject(new Error('read-only')))
  const turns = createLoginTurns({ waitMs: () => 0, takeTurn })
  const judged: string[] = []
  const begin = async (name: string) => await turns.take(1, async () => void judged.push(name))
  const ends = await Promise.allSettled([begin('a'), begin('b')])
  expect(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : end.status))).toEqual(['Error: read-only', 'Error: read-only'])
  isWritable = true
  await begin('c')
  expect(judged).toEqual(['c'])
})
