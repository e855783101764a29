import { expect, it } from 'vitest'
import { createYieldTurn } from './yield-turn.ts'

/** Steps of a millisecond each, until something else had its turn. */
async function stepsUntilOthers(afterMs: number): Promise<number> {
  const yieldTurn = createYieldTurn(afterMs)
  let othersRan = false
  setImmediate(() => {
    othersRan = true
  })
  for (let steps = 0; steps < 50; steps += 1) {
    await yieldTurn()
    if (othersRan) return steps
    const until = performance.now() + 1
    while (performance.now() < until);
  }
  return 50
}

it('a long chain of steps lets others have their turn', async () => {
  expect(await stepsUntilOthers(5)).toBeLessThanOrEqual(6)
  expect(await stepsUntilOthers(Number.POSITIVE_INFINITY)).toBe(50) // without it none has
})
