import { expect, it } from 'vitest'
import { GUESSABLE_IMAGE_NAME, isPulled, newImageName, projectOfPulled, pulledImageName } from './image-names.ts'

it('a name has 128 random bits and nothing else in it', () => {
  const names = Array.from({ length: 100 }, newImageName)
  for (const name of names) expect(name).toMatch(/^berth\/[0-9a-f]{32}:release$/)
  expect(new Set(names).size).toBe(100)
})

it('knows the names that could be guessed', () => {
  for (const name of ['berth/app-4:d17-ab12', 'berth/app-40-s0:d1-00ff00ff']) expect(name).toMatch(GUESSABLE_IMAGE_NAME)
  for (const name of [newImageName(), 'berth/edge:ab12', 'postgres:17', 'web', '']) expect(name).not.toMatch(GUESSABLE_IMAGE_NAME)
})

it('the name of a pulled image says which project it is for, and nobody else reads it so', () => {
  const name = pulledImageName({ instance: 'ab12', projectId: 7, secret: '0'.repeat(32) })
  expect([projectOfPulled('ab12', name), projectOfPulled('ab', name), projectOfPulled('ab12', newImageName())]).toEqual([7, null, null])
  expect([isPulled(name), isPulled(newImageName()), isPulled('berth/edge:ab12')]).toEqual([true, false, false])
})
