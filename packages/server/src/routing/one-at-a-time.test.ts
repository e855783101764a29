import { expect, it } from 'vitest'
import { createOneAtATime } from './one-at-a-time.ts'

it('shares the next turn among the calls that come during one, and never runs two at once', async () => {
  const gate = Promise.withResolvers<void>()
  let [runs, atOnce, most] = [0, 0, 0]
  const turn = createOneAtATime(async () => {
    const number = (runs += 1)
    most = Math.max(most, (atOnce += 1))
    if (number === 1) await gate.promise
    atOnce -= 1
    return number
  })
  const first = turn()
  await Promise.resolve()
  await Promise.resolve()
  const later = [turn(), turn(), turn()]
  gate.resolve()
  expect(await first).toBe(1)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
  expect(most).toBe(1)
})

it('goes on after a turn that failed', async () => {
  let runs = 0
  const turn = createOneAtATime(async () => {
    runs += 1
    if (runs === 1) throw new Error('the first one')
    return runs
  })
  await expect(turn()).rejects.toThrow('the first one')
  expect(await turn()).toBe(2)
})
