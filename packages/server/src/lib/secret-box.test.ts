import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSecretBox } from './secret-box.ts'

const box = createSecretBox(randomBytes(32))

it('opens what it sealed, whatever it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, about) => {
      expect(box.open(box.seal(text, about), about)).toBe(text)
    }),
  )
})

it('seals the same text differently each time, and never shows it', () => {
  const [first, second] = [box.seal('blue and green', 'env:1'), box.seal('blue and green', 'env:1')]
  expect(first).not.toBe(second)
  expect(Buffer.from(first, 'base64').toString('latin1')).not.toContain('blue')
})

it('does not open a value that was moved to another row, changed, or sealed by another key', () => {
  const sealed = box.seal('blue', 'env:1')
  expect(() => box.open(sealed, 'env:2')).toThrow('unable to authenticate')
  const bytes = Buffer.from(sealed, 'base64')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  expect(() => box.open(bytes.toString('base64'), 'env:1')).toThrow('unable to authenticate')
  expect(() => createSecretBox(randomBytes(32)).open(sealed, 'env:1')).toThrow('unable to authenticate')
  expect(() => box.open('', 'env:1')).toThrow(/initialization vector|tag length/i)
})

it('does not open a value whose tag was cut short', () => {
  const bytes = Buffer.from(box.seal('', 'env:1'), 'base64')
  expect(() => box.open(bytes.subarray(0, 20).toString('base64'), 'env:1')).toThrow(/tag length/i)
})

it('makes the same name of the same text, and another one with another key', () => {
  expect(box.nameOf('image 1 a')).toBe(box.nameOf('image 1 a'))
  expect(box.nameOf('image 1 a')).toMatch(/^[0-9a-f]{32}$/)
  const others = [box.nameOf('image 2 a'), createSecretBox(randomBytes(32)).nameOf('image 1 a')]
  expect(others).not.toContain(box.nameOf('image 1 a'))
})
