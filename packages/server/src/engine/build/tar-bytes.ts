import { EngineError, EngineUnreachable } from '../api/errors.ts'
import { paddingFor } from './tar.ts'

/** Of a header that says more about the entry after it: attributes of a file have at most 64 kB each. */
const MOST_OF_A_HEADER = 4 * 1024 * 1024
/** Of a record, with its length; names of attributes have at most 255 bytes. And of records: a list of all attributes has at most 64 kB. */
const LONGEST_NAME = 512
const MOST_RECORDS = 20_000
export const [PAX, PAX_OF_ALL, HARD_LINK] = ['x', 'g', '1']
/** How GNU tar gives a long name. */
export const LONG_NAMES: Readonly<Record<string, string>> = { L: 'path', K: 'linkpath' }
/** Links, devices, directories and pipes, whatever size they claim to have. */
export const WITHOUT_CONTENTS = /^[1-6]$/

type Records = Map<string, Buffer>

/** Reads exactly as many bytes as asked for. */
export function createBytes(source: AsyncIterator<Buffer>) {
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

export async function headerContents(take: (size: number) => Promise<Buffer>, size: number): Promise<Buffer> {
  if (size > MOST_OF_A_HEADER) throw new EngineError(500, `An archive has an extended header of ${size} bytes.`)
  return (await take(size + paddingFor(size).length)).subarray(0, size)
}

/** Records such as `27 path=…`: the length of the whole record, a name and a value, which may be any bytes. */
export function recordsIn(contents: Buffer): Records {
  const records: Records = new Map()
  let left = MOST_RECORDS
  for (let at = 0; at < contents.length; left -= 1) {
    const [, digits = '', name = ''] = /^(\d+) ([^=]+)=/.exec(contents.subarray(at, at + LONGEST_NAME).toString('latin1')) ?? []
    const end = at + Number(digits)
    if (digits === '' || end <= at || end > contents.length || left === 0)
      throw new EngineError(500, 'An archive has an extended header that is not valid.')
    records.set(name, contents.subarray(at + digits.length + name.length + 2, end - 1))
    at = end
  }
  return records
}

/** A long name may be in two parts; GNU tar, whose magic word is another one, uses the second field for something else. */
export function nameIn(header: Buffer): Buffer {
  const name = upToZero(header.subarray(0, 100))
  const prefix = header.subarray(257, 263).toString('latin1') === 'ustar\0' ? upToZero(header.subarray(345, 500)) : Buffer.alloc(0)
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])
}

/** In octal digits, or for more than 8 GB as a binary number. */
export function sizeIn(header: Buffer): number {
  const size = header.subarray(124, 136)
  if (((size[0] ?? 0) & 0x80) !== 0) return Number(size.readBigUInt64BE(4))
  return Number.parseInt(size.toString('latin1'), 8) || 0
}

export function upToZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}
