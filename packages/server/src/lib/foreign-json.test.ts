import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseForeignJson, TooManyParts } from './foreign-json.ts'

it('what honest programs send is parsed as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(parseForeignJson(text)).toEqual(JSON.parse(text))
      expect(parseForeignJson(Buffer.from(`\uFEFF${text}`))).toEqual(JSON.parse(text))
    }),
  )
  const variables = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`VARIABLE_${n}`, 'x'.repeat(100)]))
  const calls = [
    { variables },
    { variables: Object.entries(variables).map(([key, value]) => ({ key, value })) },
    { file: '{[,'.repeat(600_000) },
  ]
  for (const call of calls) expect(parseForeignJson(Buffer.from(JSON.stringify(call)))).toEqual(call)
})

it('what has too many parts is not parsed, and what is no JSON is no JSON', () => {
  const names = `{${Array.from({ length: 5100 }, (_, n) => `"a${n}":1`).join()}`
  expect(() => parseForeignJson(names)).toThrow(TooManyParts)
  expect(() => parseForeignJson(Buffer.from(names))).toThrow('5,000 different names')
  for (const text of ['', '{', '[1', 'x', `${names.slice(0, 30_000)}`]) expect(() => parseForeignJson(text)).toThrow(SyntaxError)
})
