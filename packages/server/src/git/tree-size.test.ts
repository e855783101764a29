import { expect, it } from 'vitest'
import { SourceRefused } from './errors.ts'
import { createEntryReader } from './tree-size.ts'

it('an entry that does not end is given up after a few kilobytes', () => {
  const read = createEntryReader(() => undefined)
  const chunk = Buffer.alloc(1024, 'd')
  let taken = 0
  expect(() => {
    for (; taken < 1_000; taken += 1) read(chunk)
  }).toThrow(SourceRefused)
  expect(taken).toBeLessThan(8)
})
