import { expect, it } from 'vitest'
import { sizeWords } from './sizes.ts'

it.each([
  [-1, '0 B'],
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [150 * 1024, '150 KiB'],
  [5 * 1024 ** 3, '5 GiB'],
  [1e9, '954 MiB'],
  [1_048_575, '1 MiB'],
  [1023 * 1024, '1023 KiB'],
  [3 * 1024 ** 5, '3072 TiB'],
])('%d bytes are %s', (bytes, words) => expect(sizeWords(bytes)).toBe(words))
