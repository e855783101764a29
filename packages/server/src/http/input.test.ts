import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { AppError } from '../lib/app-error.ts'
import { createReadInput } from './input.ts'

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, lenient: true, expects: 'a whole number of at least 1' })
const read = createReadInput(
  Type.Object({ id: Id, name: Type.Optional(Type.String({ expects: 'a text' })), parent: Type.Optional(Type.Union([Id, Type.Null()])) }),
  'body',
)

function problemsOf(input: unknown): AppError {
  try {
    read(input)
  } catch (error) {
    if (error instanceof AppError) return error
  }
  throw new Error('it was taken')
}

describe('reading an input', () => {
  it('accepts a string of digits for an id, also for a nullable one', () => {
    expect(read({ id: '42', parent: '7' })).toEqual({ id: 42, parent: 7 })
    expect(read({ id: 42, parent: null })).toEqual({ id: 42, parent: null })
  })

  it.each([1.5, -1, 0, 2 ** 53 + 2, '9007199254740993', '1.5', '1e3', '0x10', ' 1', '', true, null, {}, Number.NaN])(
    'refuses %s as an id',
    (id) => {
      expect(problemsOf({ id }).details).toEqual([{ field: 'id', message: 'must be a whole number of at least 1' }])
    },
  )

  it('names every field that is wrong, and says the first in a sentence', () => {
    const error = problemsOf({ name: 7 })
    expect(error.code).toBe('invalid_request')
    expect(error.message).toBe('id is required: it must be a whole number of at least 1.')
    expect(error.details?.map(({ field }) => field)).toEqual(['id', 'name'])
  })

  it('refuses an id that is given twice', () => {
    expect(problemsOf({ id: ['1', '2'] }).details).toEqual([{ field: 'id', message: 'must be given once' }])
  })

  it.each([[[]], ['text'], [7], [true]])('refuses %j instead of an object', (input) => {
    expect(problemsOf(input).message).toBe('The body must be a JSON object.')
  })

  it('a missing body is an empty one', () => {
    expect(problemsOf(null).details?.[0]?.field).toBe('id')
    expect(problemsOf(undefined).details?.[0]?.field).toBe('id')
  })

  it('copies known fields only: prototype keys have no effect', () => {
    const input: unknown = JSON.parse('{"id":1,"__proto__":{"name":"x"},"constructor":{"prototype":{"x":1}},"role":"owner"}')
    const result = read(input)
    expect(Object.keys(result)).toEqual(['id'])
    expect(result['name']).toBeUndefined()
    expect(({} as Record<string, unknown>)['x']).toBeUndefined() // any object at all shows a polluted prototype
  })

  it('does not find required fields on the prototype', () => {
    const readName = createReadInput(Type.Object({ toString: Type.String({ expects: 'a text' }) }), 'query')
    expect(() => readName({})).toThrow('toString is required')
  })
})
