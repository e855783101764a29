import { expect, it } from 'vitest'
import { endParts } from './end-parts.ts'

it('waits for all parts, but for none forever, and names the one that does not end', async () => {
  const lines: unknown[] = []
  const log = { warn: (...words: unknown[]) => void lines.push(words) }
  const ended: string[] = []
  await endParts(
    {
      quick: { end: async () => ended.push('quick') },
      stuck: { end: async () => await new Promise<never>(() => undefined), busyWith: () => ['a clone'] },
      broken: {
        end: async () => {
          throw new Error('it broke')
        },
      },
    },
    { withinMs: 20, log },
  )
  expect(ended).toEqual(['quick'])
  expect(lines).toEqual([
    [{ part: 'broken', err: new Error('it broke') }, 'a part of Berth did not stop cleanly'],
    [{ part: 'stuck', busyWith: ['a clone'] }, 'a part of Berth did not stop in time'],
  ])
})
