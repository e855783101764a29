import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('runs so many at once, the others in order, and goes on behind one that fails', async () => {
  const inTurn = createTurns(2)
  const begun: number[] = []
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const all = gates.map(
    async ({ promise }, index) =>
      await inTurn(async () => {
        begun.push(index)
        return await promise
      }),
  )
  const settled = Promise.allSettled(all)
  await nextTurn()
  expect(begun).toEqual([0, 1])
  gates[1]?.reject(new Error('no'))
  await nextTurn()
  expect(begun).toEqual([0, 1, 2])
  for (const [index, gate] of gates.entries()) gate.resolve(index)
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  expect(begun).toEqual([0, 1, 2, 3, 4])
  expect(await inTurn(async () => 6)).toBe(6)
})
