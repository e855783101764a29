import { EngineUnreachable } from '../api/errors.ts'
import { BLOCK, END_OF_ARCHIVE, paddingFor, paxHeader } from './tar.ts'

/** Of a header that says more about the entry after it: attributes of a file have at most 64 kB each. */
const MOST_OF_A_HEADER = 4 * 1024 * 1024
const [PAX, PAX_OF_ALL, HARD_LINK] = ['x', 'g', '1']
/** How GNU tar gives a long name. */
const LONG_NAMES: Readonly<Record<string, string>> = { L: 'path', K: 'linkpath' }
/** Links, devices, directories and pipes, whatever size they claim to have. */
const WITHOUT_CONTENTS = /^[1-6]$/

type Records = Map<string, Buffer>

/**
 * An archive of one directory, as the engine gives it, with another path in place of that directory. Hard links, which name another entry,
 * are moved too. The new name is in an extended header before each entry, and the entry itself stays as it is.
 */
export async function* movedArchive(chunks: AsyncIterable<Buffer>, to: string): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]()
  const { pieces, take } = createBytes(source)
  const moved = (name: Buffer) =>
    Buffer.from(
      name.toString('latin1').replace(/^[^/]+/, () => to),
      'latin1',
    ) // any bytes
  let records: Records = new Map()
  try {
    for (;;) {
      const header = await take(BLOCK)
      if (header.every((byte) => byte === 0)) break
      const type = String.fromCodePoint(header[156] ?? 0)
      const longName = LONG_NAMES[type]
      if (type === PAX || longName !== undefined) {
        const contents = await headerContents(take, sizeIn(header))
        records = longName === undefined ? new Map([...records, ...recordsIn(contents)]) : records.set(longName, upToZero(contents))
        continue
      }
      if (type !== PAX_OF_ALL) {
        const link = type === HARD_LINK ? { linkpath: moved(records.get('linkpath') ?? upToZero(header.subarray(157, 257))) } : {}
        yield paxHeader(new Map([...records, ...Object.entries({ path: moved(records.get('path') ?? nameIn(header)), ...link })]))
      }
      const size = WITHOUT_CONTENTS.test(type) ? 0 : Number(records.get('size') ?? sizeIn(header))
      if (type !== PAX_OF_ALL) records = new Map()
      yield header
      yield* pieces(size + paddingFor(size).length)
    }
    yield END_OF_ARCHIVE
  } finally {
    await source.return?.()
  }
}

/** Reads exactly as many bytes as asked for. */
function createBytes(source: AsyncIterator<Buffer>) {
  let rest = Buffer.alloc(0)

  async function* pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (rest.length === 0) {
        const next = await source.next()
        if (next.done === true) throw new EngineUnreachable('an archive ended too early')
        rest = Buffer.from(next.value)
        continue
      }
      const piece = rest.subarray(0, left)
      rest = rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async function take(size: number): Promise<Buffer> {
    const taken: Buffer[] = []
    for await (const piece of pieces(size)) taken.push(piece)
    return Buffer.concat(taken)
  }

  return { pieces, take }
}

async function headerContents(take: (size: number) => Promise<Buffer>, size: number): Promise<Buffer> {
  if (size > MOST_OF_A_HEADER) throw new Error(`an extended header of ${size} bytes`)
  return (await take(size + paddingFor(size).length)).subarray(0, size)
}

/** Records such as `27 path=…`: the length of the whole record, a name and a value, which may be any bytes. */
function recordsIn(contents: Buffer): Records {
  const records: Records = new Map()
  for (let at = 0; at < contents.length; ) {
    const [, digits = '', name = ''] = /^(\d+) ([^=]+)=/.exec(contents.subarray(at).toString('latin1')) ?? []
    const end = at + Number(digits)
    if (digits === '' || end > contents.length) throw new Error('an extended header that is not valid')
    records.set(name, contents.subarray(at + digits.length + name.length + 2, end - 1))
    at = end
  }
  return records
}

/** A long name may be in two parts; GNU tar, whose magic word is another one, uses the second field for something else. */
function nameIn(header: Buffer): Buffer {
  const name = upToZero(header.subarray(0, 100))
  const prefix = header.subarray(257, 263).toString('latin1') === 'ustar\0' ? upToZero(header.subarray(345, 500)) : Buffer.alloc(0)
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])
}

/** In octal digits, or for more than 8 GB as a binary number. */
function sizeIn(header: Buffer): number {
  const size = header.subarray(124, 136)
  if (((size[0] ?? 0) & 0x80) !== 0) return Number(size.readBigUInt64BE(4))
  return Number.parseInt(size.toString('latin1'), 8) || 0
}

function upToZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}
