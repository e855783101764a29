import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createFairTurns } from './fair-turns.ts'

/** Requests that each take so long on the one thread, and the order in which they began. */
function createRequests(costMs: number) {
  let time = 0
  const turns = createFairTurns(() => time)
  const begun: number[] = []
  const request = async (personId: number, bodyBytes?: number) => {
    const hasWaited = await turns.begin(personId, bodyBytes)
    begun.push(personId)
    time += costMs
    return hasWaited
  }
  return { begun, request }
}

it.each([
  { body: 100, atOnce: 32 },
  { body: 100_000, atOnce: 4 },
])('of requests with $body bytes $atOnce begin at once, and the others in later turns', async ({ body, atOnce }) => {
  const { begun, request } = createRequests(0.01)
  const all = Array.from({ length: atOnce + 6 }, async () => await request(1, body))
  expect(new Set(await Promise.all(all.slice(0, atOnce)))).toEqual(new Set([false]))
  expect(begun).toHaveLength(atOnce)
  expect(new Set(await Promise.all(all.slice(atOnce)))).toEqual(new Set([true]))
})

it('cheap requests that waited all begin in the next turn', async () => {
  const { begun, request } = createRequests(0.01)
  const all = Array.from({ length: 100 }, async () => await request(1))
  await nextTurn()
  await nextTurn()
  expect(begun).toHaveLength(100)
  await Promise.all(all)
})

it('costly requests of one person begin one in each turn, and those of others in between', async () => {
  const { begun, request } = createRequests(20)
  await request(1)
  const flood = Array.from({ length: 5 }, async () => await request(1))
  await nextTurn()
  await request(2)
  expect(begun).toEqual([1, 1, 2])
  await Promise.all(flood)
  expect(begun).toEqual([1, 1, 2, 1, 1, 1, 1])
})

it('somebody else does not wait for the share of another, and everybody has one again in the next turn', async () => {
  const { request } = createRequests(20)
  expect(await Promise.all([request(1), request(2), request(3)])).toEqual([false, false, false])
  await nextTurn()
  expect(await request(1)).toBe(false)
})
