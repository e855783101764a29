import { expect, it } from 'vitest'
import { createFramingLimit } from './framing-limit.ts'

type Read = { pieces: number; bytes: number; onWire: number; before?: number }

/** Reads a body of `pieces` chunks on a connection that has read `before` bytes, and reads `onWire` for each chunk. */
async function read(limited: ReturnType<typeof createFramingLimit>, { pieces, bytes, onWire, before = 0 }: Read) {
  const socket = { bytesRead: before }
  async function* chunks() {
    for (let left = pieces; left > 0; left -= 1) {
      socket.bytesRead += onWire
      yield Buffer.alloc(bytes)
    }
  }
  let got = 0
  for await (const chunk of limited(socket, chunks())) got += chunk.length
  return got
}

it('what small answers take beyond their share adds up', async () => {
  const limited = createFramingLimit()
  const tiny = { pieces: 1000, bytes: 100, onWire: 600 }
  expect(await read(limited, tiny)).toBe(100_000)
  expect(await read(limited, tiny)).toBe(100_000)
  await expect(read(limited, tiny)).rejects.toThrow('in pieces that are too small')
})

it('ordinary answers take nothing of it, and earlier ones on the same connection do not count', async () => {
  const limited = createFramingLimit()
  for (let index = 0; index < 50; index += 1)
    expect(await read(limited, { pieces: 100, bytes: 1000, onWire: 1007, before: index * 10_000_000 })).toBe(100_000)
})
