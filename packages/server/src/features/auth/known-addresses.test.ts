import { expect, it } from 'vitest'
import { createKnownAddresses } from './known-addresses.ts'

const EMAIL = 'a@example.test'
const at = (address: string, email = EMAIL) => ({ email, address })

it('knows the networks an account was used from, for that account only', () => {
  const familiar = createKnownAddresses([at('192.0.2.1')])
  familiar.add(at('192.0.2.2'))
  expect(familiar.find(at('192.0.2.1'))).toBe('192.0.2.1')
  expect(familiar.find(at('192.0.2.2'))).toBe('192.0.2.2')
  expect(familiar.find(at('192.0.2.3'))).toBeUndefined()
  expect(familiar.find(at('192.0.2.1', 'b@example.test'))).toBeUndefined()
})

it('keeps the eight that were used last', () => {
  const familiar = createKnownAddresses(Array.from({ length: 8 }, (_, n) => at(`192.0.2.${n}`)))
  familiar.add(at('192.0.2.0'))
  familiar.add(at('192.0.2.8'))
  const known = Array.from({ length: 9 }, (_, n) => familiar.find(at(`192.0.2.${n}`)) !== undefined)
  expect(known).toEqual([true, false, true, true, true, true, true, true, true])
})

it.each([
  ['2001:db8:1:2:aaaa::1', '2001:db8:1:2:bbbb:1:2:3', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:bbbb:1:2:3', true],
  ['2001:db8::1', '2001:db8:0:0:1::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::1', '::2', true],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['192.0.2.1', '192.0.2.2', false],
  ['', '', true],
])('%s makes %s familiar: %s', (first, second, isFamiliar) => {
  expect(createKnownAddresses([at(first)]).find(at(second)) !== undefined).toBe(isFamiliar)
})
