import { expect, it } from 'vitest'
import { jsonLines } from './json.ts'

async function* inChunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

async function all(chunks: AsyncIterable<Buffer>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const each of jsonLines(chunks)) found.push(each)
  return found
}

it('objects are found wherever a chunk ends', async () => {
  expect(await all(inChunks('{"a":1}\n{"b"', ':2}', '\r\n\n{"c":3}'))).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
})

it('a line without end is not collected', async () => {
  let read = 0
  async function* endless() {
    for (; read < 1000; read += 1) yield Buffer.alloc(1024 * 1024, 'x')
  }
  await expect(all(endless())).rejects.toThrow('more than 8 MiB')
  expect(read).toBeLessThan(10)
})
