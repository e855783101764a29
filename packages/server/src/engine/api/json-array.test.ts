import { describe, expect, it } from 'vitest'
import { readArray } from './json-array.ts'

const ITEMS = [{ name: 'a, "b" [c] {d} \\' }, { list: [1, [2, { x: ']' }]], text: '\\"' }, 'x,y', 7, null, []]
const PADDING = ' '.repeat(5 * 1024 * 1024) // so long that it is not parsed as a whole

async function read(text: string, size: number): Promise<unknown[]> {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  return await readArray(chunks(), (item) => item)
}

describe('a list', () => {
  it.each([1, 3, 7, 65_536])('is the same in chunks of %d bytes', async (size) => {
    const text = `\n ${JSON.stringify(ITEMS)}\n`
    expect(await read(text, size)).toEqual(ITEMS)
  })

  it('is read piece by piece in any chunks', async () => {
    const text = JSON.stringify(ITEMS)
    for (const size of [1, 2, 5]) {
      async function* chunks() {
        yield Buffer.from(PADDING)
        for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
      }
      expect(await readArray(chunks(), (item) => item)).toEqual(ITEMS)
    }
  })

  it('may be empty, or nothing at all', async () => {
    for (const text of ['[]', '[ ]\n', '', 'null', '{}']) expect(await read(text, 10)).toEqual([])
    expect(await read(`${PADDING}[ ]`, 65_536)).toEqual([])
  })

  it('may be longer than any one answer, but not one of its items', async () => {
    const item = `{"Command":"${'\\u0001'.repeat(100_000)}"}`
    async function* many() {
      yield Buffer.from('[')
      for (let n = 0; n < 200; n += 1) yield Buffer.from(n === 0 ? item : `,${item}`)
      yield Buffer.from(']')
    }
    expect(await readArray(many(), () => 1)).toHaveLength(200)
    async function* long() {
      yield Buffer.from('[{"Command":"')
      for (let n = 0; n < 30; n += 1) yield Buffer.from('x'.repeat(1024 * 1024))
    }
    await expect(readArray(long(), () => 1)).rejects.toThrow('more than 16 MiB about one thing')
  })

  it('that was cut off is an error', async () => {
    await expect(read(`${PADDING}[{"a":1},{"b`, 65_536)).rejects.toThrow('did not end its answer')
  })
})
