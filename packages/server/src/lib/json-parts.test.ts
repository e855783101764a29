import { expect, it } from 'vitest'
import { hasTooManyParts } from './json-parts.ts'

const SHAPES = 5000
/** Two names in a few billion pairs have the same hash, so one above the limit may not be refused. */
const MORE = SHAPES + 20
const listOf = (count: number, item: (n: number) => string) => Array.from({ length: count }, (_, n) => item(n)).join(',')
const isRefused = (text: string) => hasTooManyParts(Buffer.from(text))

it('each part has its limit', () => {
  const textsAtLimits: [(count: number) => string, number][] = [
    [(count) => `[${listOf(count - 1, () => '{}')}]`, 100_000],
    [(count) => '['.repeat(count) + ']'.repeat(count), 100_000],
    [(count) => '{"a":'.repeat(count), 100_000],
    [(count) => `[${listOf(count + 1, () => '1')}]`, 300_000],
    [(count) => `[${listOf(count, (n) => `{"a${n}":1}`)}]`, SHAPES],
    [(count) => `{${listOf(count, (n) => `"a${n}" : 1`)}}`, SHAPES],
    [(count) => `[${listOf(Math.ceil(count / 100), (n) => `{${listOf(100, (m) => `"${n}-${m}":{}`)}}`)}]`, SHAPES],
    [(count) => `[{"a":1},${listOf(count - 1, (n) => `{"a":${'{"a":'.repeat(9)}{"b${n}":1}${'}'.repeat(9)}}`)}]`, SHAPES],
  ]
  for (const [text, limit] of textsAtLimits) {
    expect(isRefused(text(limit)), text(limit).slice(0, 50)).toBe(false)
    expect(isRefused(text(limit === SHAPES ? MORE : limit + 1)), text(limit).slice(0, 50)).toBe(true)
  }
})

it('the same few names in other orders are other shapes', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  /** Each number below 8! gives another order. */
  const order = (n: number, left = names): string[] => {
    const next = left[n % left.length]
    return next === undefined
      ? []
      : [
          next,
          ...order(
            Math.floor(n / left.length),
            left.filter((name) => name !== next),
          ),
        ]
  }
  const objects = listOf(
    8000,
    (n) =>
      `{${order(n)
        .map((name) => `"${name}":0`)
        .join()}}`,
  )
  expect(isRefused(`[${objects}]`)).toBe(true)
  expect(isRefused(`[${listOf(8000, () => `{${names.map((name) => `"${name}":0`).join()}}`)}]`)).toBe(false)
})

it('names that differ anywhere are different, whatever their length', () => {
  for (const length of [1, 2, 3, 4, 5, 8, 255, 256, 257, 1000])
    for (const beside of ['', 'x'.repeat(length)]) {
      const names = (count: number) => `{${listOf(count, (n) => `"${beside}${String.fromCodePoint(0x4e00 + n)}${beside}":1`)}}`
      expect(isRefused(names(SHAPES))).toBe(false)
      expect(isRefused(names(MORE))).toBe(true)
    }
})

it('a name may be escaped, and what is in texts does not count', () => {
  const escaped = ['\\"', '\\\\', '\\u0022:{', ',{"', '\\\\\\"'].map((text) => text.replaceAll(/(?<!\\)"/g, '\\"'))
  const objects = (name: string) => `[${listOf(20_000, (n) => `{"${name}":"${name}${n}"}`)}]`
  for (const name of escaped) {
    expect(JSON.parse(objects(name))).toHaveLength(20_000)
    expect(isRefused(objects(name)), name).toBe(false)
    expect(isRefused(`{${listOf(MORE, (n) => `"${name}${n}":"${name}"`)}}`), name).toBe(true)
  }
  expect(isRefused(JSON.stringify({ compose: '{"a": [1, 2], "b": {}}\n'.repeat(200_000) }))).toBe(false)
  expect(isRefused(JSON.stringify({ files: Array.from({ length: 40_000 }, (_, n) => `{"a${n}":1,"b${n}":1}`) }))).toBe(false)
})

it('a name that has small integers and then fractions is a new shape again, with what follows it', () => {
  const objects = (fraction: string, count: number) =>
    `[${listOf(count, (n) => `{${listOf(100, (m) => `"k${m}":${m < n ? fraction : '1'}`)}}`)}]`
  for (const fraction of ['1.5', '1e5', '1E-5 ', '1e+5\n', '-0', '2147483648'])
    expect([isRefused(objects(fraction, 40)), isRefused(objects(fraction, 100))], fraction).toEqual([false, true])
  for (const other of ['12345', 'true', 'null', '"1.5"', '[1.5]', '[1,1.5]']) expect(isRefused(objects(other, 100)), other).toBe(false)
  expect(isRefused(`[${listOf(5000, (n) => `{${listOf(20, (m) => `"k${m}":${(n * 7 + m * 3) % 5 === 0 ? 1.5 : 1}`)}}`)}]`)).toBe(false)
})

it('what is no JSON is read to its end', () => {
  const broken = ['{'.repeat(30_000), '}'.repeat(30_000), `{"${'a'.repeat(30_000)}`, `${'"\\'.repeat(30_000)}`, ',]}'.repeat(30_000)]
  for (const text of [...broken, '\0'.repeat(30_000), '"a":1'.repeat(30_000), `[${'"\\"'.repeat(30_000)}`, '{]'.repeat(30_000)])
    expect(isRefused(text), text.slice(0, 20)).toBe(false)
})
