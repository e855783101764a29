import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffVariables, formatDotenv, parseDotenv } from './dotenv.ts'

describe('reading .env text', () => {
  it('understands comments, export, quotes and blanks', () => {
    const text = ['# a comment', '', 'A=1', 'export B = two words # note', `C='as $is # here'`, 'D="line\\nbreak \\"x\\""', 'E='].join('\n')
    expect(parseDotenv(text)).toEqual({
      variables: [
        { key: 'A', value: '1' },
        { key: 'B', value: 'two words' },
        { key: 'C', value: 'as $is # here' },
        { key: 'D', value: 'line\nbreak "x"' },
        { key: 'E', value: '' },
      ],
      problems: [],
    })
  })

  it('reads a quoted value over several lines', () => {
    expect(parseDotenv('KEY="-----BEGIN\nabc\n-----END"\nNEXT=1').variables).toEqual([
      { key: 'KEY', value: '-----BEGIN\nabc\n-----END' },
      { key: 'NEXT', value: '1' },
    ])
  })

  it('says which line is wrong and why', () => {
    expect(parseDotenv('GOOD=1\nno equals\n1BAD=2\nGOOD=3\nOPEN="x').problems).toEqual([
      { line: 2, message: 'This line has no "=".' },
      { line: 3, message: '"1BAD" is not a valid variable name.' },
      { line: 4, message: 'GOOD appears twice; the last value is used.' },
      { line: 5, message: 'A " is opened here but never closed.' },
    ])
  })

  it('reads back whatever it wrote', () => {
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,10}$/), value), { selector: ([key]) => key }), (pairs) => {
        const variables = pairs.map(([key, text]) => ({ key, value: text }))
        expect(parseDotenv(formatDotenv(variables))).toEqual({ variables, problems: [] })
      }),
    )
  })
})

describe('the difference of two environments', () => {
  it('names what is added, removed, changed and the same', () => {
    const before = [
      { key: 'SAME', value: '1' },
      { key: 'GONE', value: '2' },
      { key: 'NEW_VALUE', value: '3' },
    ]
    const after = [
      { key: 'SAME', value: '1' },
      { key: 'NEW_VALUE', value: '4' },
      { key: 'ADDED', value: '' },
    ]
    expect(diffVariables(before, after)).toEqual([
      { key: 'ADDED', is: 'added', after: '' },
      { key: 'GONE', is: 'removed', before: '2' },
      { key: 'NEW_VALUE', is: 'changed', before: '3', after: '4' },
      { key: 'SAME', is: 'same', before: '1', after: '1' },
    ])
  })
})
