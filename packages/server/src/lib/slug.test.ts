import fc from 'fast-check'
import { expect, it } from 'vitest'
import { freeSlug, slugOf } from './slug.ts'

it.each([
  ['My Shop', 'my-shop'],
  ['Café Über', 'cafe-uber'],
  ['--a--', 'a'],
  ['日本', 'app'],
  ['42', 'app-42'],
  ['', 'app'],
  ['../../x', 'x'],
])('%s becomes %s', (text, slug) => expect(slugOf(text, 'app')).toBe(slug))

it('is a host label whatever it is made from', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: 'grapheme' }), (text) => {
      expect(slugOf(text, 'app')).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
    }),
  )
})

it('takes the first number that is free', async () => {
  const taken = new Set(['shop', 'shop-2'])
  const isTaken = async (slug: string) => taken.has(slug)
  expect(await freeSlug('shop', isTaken)).toBe('shop-3')
  expect(await freeSlug('other', isTaken)).toBe('other')
})

it('asks a few times only, however many are taken', async () => {
  let asked = 0
  const isTaken = async (slug: string) => {
    asked += 1
    return /^shop(-\d{1,7})?$/.test(slug)
  }
  expect(await freeSlug('shop', isTaken)).toMatch(/^shop-[0-9a-f]{8}$/)
  expect(asked).toBeLessThan(50)
})
