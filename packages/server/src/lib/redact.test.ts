import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

it('hides each secret wherever it stands, the longer one first', () => {
  const redact = createRedactor(['hunter22', 'hunter22-long'])
  expect(redact('a hunter22-long b hunter22 c hunter22')).toBe('a *** b *** c ***')
})

it('hides a secret of several lines line by line', () => {
  const redact = createRedactor(['-----BEGIN KEY-----\r\nabcdefgh\nijklmnop'])
  expect(redact('x abcdefgh y')).toBe('x *** y')
  expect(redact('ijklmnop')).toBe('***')
})

it('leaves short values alone: hiding "on" or "3000" would make a log unreadable', () => {
  expect(createRedactor(['on', '3000', ' a '])('turned on at 3000')).toBe('turned on at 3000')
  expect(createRedactor([])('anything')).toBe('anything')
})

it('hides the beginning of a secret at the end of a cut line', () => {
  expect(createRedactor(['supersecretvalue'])('token=supersec … [line cut]')).toBe('token=*** … [line cut]')
})

it('no secret survives in any line', () => {
  const secret = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => text.trim().length >= 6 && !/[\r\n*]/.test(text))
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (text, before, after) => {
      expect(createRedactor([text])(`${before}${text}${after}`)).not.toContain(text.trim())
    }),
  )
})
