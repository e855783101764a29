import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { ApplicationChange, EnvKey, EnvValue } from './applications.ts'
import { Email, Id, Label, Prose } from './fields.ts'

const CASES: Record<string, { schema: TSchema; taken: unknown[]; refused: unknown[] }> = {
  'an id': { schema: Id, taken: [1, 2 ** 53 - 1], refused: [0, -1, 1.5, 2 ** 53, Number.NaN, '1', null] },
  'an e-mail': {
    schema: Email,
    taken: ['a@b', ' a.b+c@example.com '],
    refused: ['a', '@b', 'a@', 'a b@c', 'a@b@c', 'a,b@c', '<a@b>', `${'a'.repeat(65)}@b`],
  },
  'a label': { schema: Label(5), taken: ['a', ' a ', 'äöü日本'], refused: ['', ' ', '123456', 'a\nb', 'a\tb', 'a\u0000', 'a\u007f'] },
  prose: { schema: Prose(5), taken: ['', 'a\nb', '\ta\r\n'], refused: ['123456', 'a\u0000', '\u0001', '\u001b', '\u007f'] },
  'the name of a variable': {
    schema: EnvKey,
    taken: ['A', '_a', 'A.b-c_9', 'A'.repeat(256)],
    refused: ['', '9A', 'A=B', 'A B', 'A\n', '-A', 'Ä', 'A'.repeat(257), 'A\u0000'],
  },
  'the value of a variable': {
    schema: EnvValue,
    taken: ['', 'a\nb', 'x'.repeat(65_536)],
    refused: ['a\u0000b', 'x'.repeat(65_537), 7, null],
  },
  'a path in the repository': {
    schema: ApplicationChange.properties.rootDirectory,
    taken: ['', 'a', 'a/b', 'packages/my app', 'a..b', '.github', 'a/.b'],
    refused: ['..', '../a', 'a/../b', 'a/..', '/a', 'a\\b', '%2e%2e/a', 'a%2fb', 'a\u0000', 'a\nb', 'x'.repeat(513)],
  },
}

describe.each(Object.entries(CASES))('%s', (_name, { schema, taken, refused }) => {
  const validator = Compile(schema)
  it.each(taken.map((value) => [value]))('accepts %j', (value) => expect(validator.Check(value)).toBe(true))
  it.each(refused.map((value) => [value]))('refuses %j', (value) => expect(validator.Check(value)).toBe(false))
})
