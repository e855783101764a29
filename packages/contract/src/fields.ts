import Type, { type TSchema } from 'typebox'

/** What a field expects, in words: the error is "name must be <expects>." */
export function expects(words: string): { expects: string } {
  return { expects: words }
}

/** Integers are sent as numbers; in requests, digits in a string are accepted too. */
export const Id = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  lenient: true,
  ...expects('a whole number of at least 1'),
})

export const Time = Type.String({ format: 'date-time' })

export const Port = Type.Integer({ minimum: 1, maximum: 65535, lenient: true, ...expects('a port between 1 and 65535') })

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^\\s*[^\\s@<>",;]{1,64}@[^\\s@<>",;]{1,253}\\s*$',
  ...expects('an email address'),
})

export const Password = Type.String({ minLength: 8, maxLength: 1024, ...expects('a password of 8 to 1,024 characters') })

/** A label shown to people. Control characters are refused, since they would let one name look like another. */
export function Label(max: number) {
  return Type.String({
    minLength: 1,
    maxLength: max,
    pattern: '^[^\\S\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    ...expects(`a string of 1 to ${max} characters on one line`),
  })
}

/** A text of any number of lines. Other control characters are refused: nobody types them, and each takes six bytes in JSON. */
export function Prose(max: number) {
  return Type.String({
    maxLength: max,
    pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$',
    ...expects(`a string of at most ${max} characters, without control characters`),
  })
}

export function OneOf<const Words extends readonly string[]>(words: Words) {
  const values: Words[number][] = [...words]
  return Type.Enum(values, expects(`one of ${words.join(', ')}`))
}

export function Nullable<Schema extends TSchema>(schema: Schema) {
  const words = 'expects' in schema ? `${String(schema.expects)}, or null` : 'a value or null'
  return Type.Union([schema, Type.Null()], expects(words))
}

export const Flag = Type.Boolean(expects('true or false'))
