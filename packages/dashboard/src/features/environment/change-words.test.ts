import { describe, expect, it } from 'vitest'
import { changeWords } from './change-words.ts'

describe('what has changed since the live release', () => {
  it('is counted by kind, and kinds without changes are left out', () => {
    expect(changeWords([{ key: 'A', is: 'removed' }])).toBe('1 removed')
    expect(
      changeWords([
        { key: 'A', is: 'removed' },
        { key: 'B', is: 'added' },
        { key: 'C', is: 'changed' },
        { key: 'D', is: 'changed' },
      ]),
    ).toBe('1 added, 2 changed, 1 removed')
    expect(changeWords([])).toBe('')
  })
})
