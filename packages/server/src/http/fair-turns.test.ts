import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createFairTurns } from './fair-turns.ts'

/** Requests that each take so long on the one thread, and the order in which they began. */
function createRequests(costMs: number) {
  let time = 0
  const turns = createFairTurns(() => time)
  const begun: number[] = []
  const request = async (personId: number) => {
    const hasWaited = await turns.begin(personId)
    begun.push(personId)
    time += costMs
    return hasWaited
  }
  return { begun, request }
}

it('a few requests begin at once, and the others in later turns', async () => {
  const { begun, request } = createRequests(0.01)
  const all = Array.from({ length: 10 }, async () => await request(1))
  expect(await Promise.all(all.slice(0, 4))).toEqual([false, false, false, false])
  expect(begun).toHaveLength(4)
  expect(await Promise.all(all.slice(4))).toEqual([true, true, true, true, true, true])
})

it('cheap requests that waited all begin in the next turn', async () => {
  const { begun, request } = createRequests(0.01)
  const all = Array.from({ length: 40 }, async () => await request(1))
  await nextTurn()
  await nextTurn()
  expect(begun).toHaveLength(40)
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
