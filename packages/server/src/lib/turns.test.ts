import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('those of one key run in order and one at a time, also after a failure, and other keys do not wait', async () => {
  const inTurn = createTurns<string>()
  const gate = Promise.withResolvers<void>()
  const happened: string[] = []
  const first = inTurn('a', async () => {
    await gate.promise
    throw new Error('broken')
  })
  const second = inTurn('a', async () => void happened.push('second'))
  const third = inTurn('a', async () => happened.push('third'))
  await inTurn('b', async () => void happened.push('other'))
  expect(happened).toEqual(['other'])
  gate.resolve()
  await expect(first).rejects.toThrow('broken')
  await second
  expect(await third).toBe(3)
  expect(happened).toEqual(['other', 'second', 'third'])
})
