import { createHash, type Hash, hash } from 'node:crypto'
import { EngineError } from './api/errors.ts'
import { BLOCK, paddingFor } from './build/tar.ts'
import {
  createBytes,
  headerContents,
  LONG_NAMES,
  nameIn,
  PAX,
  PAX_OF_ALL,
  recordsIn,
  sizeIn,
  upToZero,
  WITHOUT_CONTENTS,
} from './build/tar-bytes.ts'

/** What is in an archive, apart from times. The checksum is over names, owners, modes, links and contents. */
export type ArchiveSum = { readonly files: number; readonly bytes: number; readonly checksum: string }

const [MODE, UID, GID, LINK] = [100, 108, 116, 157]
const DIRECTORY = '5'
/** Attributes of a file, such as its capabilities. Other records differ between versions of the engine. */
const ATTRIBUTE = 'SCHILY.xattr.'

/**
 * Passes an archive on, and tells at its end what was in it. An archive that ends too early is an error. So is one with more than may be
 * written; it fails before the contents of the file that does not fit, since the hole of a sparse file would arrive as a stream of zeros.
 */
export async function* summed(
  chunks: AsyncIterable<Buffer>,
  atEnd: (sum: ArchiveSum) => void,
  mostBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]()
  const { pieces, take } = createBytes(source)
  const all = createHash('sha256')
  let [files, bytes] = [0, 0]
  let records: Records = new Map()
  try {
    for (;;) {
      const header = await take(BLOCK)
      yield header
      if (header.every((byte) => byte === 0)) break
      const type = String.fromCodePoint(header[156] ?? 0)
      const longName = LONG_NAMES[type]
      if (type === PAX || type === PAX_OF_ALL || longName !== undefined) {
        const contents = await headerContents(take, sizeIn(header))
        yield Buffer.concat([contents, paddingFor(contents.length)])
        records = type === PAX_OF_ALL ? records : withRecords(records, contents, longName)
        continue
      }
      const size = WITHOUT_CONTENTS.test(type) ? 0 : Number(records.get('size') ?? sizeIn(header))
      if (bytes + size + BLOCK * (files + 1) > mostBytes) throw new EngineError(500, 'There is no space left for the copy.')
      all.update(aboutEntry(header, records, type))
      if (type !== DIRECTORY) files += 1
      yield* noted(pieces(size), all)
      bytes += size
      records = new Map()
      yield* pieces(paddingFor(size).length)
    }
    yield Buffer.alloc(BLOCK) // an archive ends with two empty blocks; anything after them is ignored
    while ((await source.next()).done !== true);
    atEnd({ files, bytes, checksum: all.digest('hex') })
  } finally {
    await source.return?.()
  }
}

async function* noted(pieces: AsyncIterable<Buffer>, sum: Hash): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    sum.update(piece)
    yield piece
  }
}

type Records = Map<string, Buffer>

function withRecords(known: Records, contents: Buffer, longName: string | undefined): Records {
  return longName === undefined ? new Map([...known, ...recordsIn(contents)]) : new Map([...known, [longName, upToZero(contents)]])
}

function aboutEntry(header: Buffer, records: ReadonlyMap<string, Buffer>, type: string): string {
  const number = (name: string, from: number) => Number(records.get(name) ?? numberIn(header.subarray(from, from + 8)))
  const about = [
    type,
    (records.get('path') ?? nameIn(header)).toString('latin1'),
    (records.get('linkpath') ?? upToZero(header.subarray(LINK, LINK + 100))).toString('latin1'),
    numberIn(header.subarray(MODE, MODE + 8)) & 0o7777,
    number('uid', UID),
    number('gid', GID),
    ...[...records].filter(([key]) => key.startsWith(ATTRIBUTE)).map(([key, value]) => `${key}=${value.toString('latin1')}`),
  ]
  return hash('sha256', JSON.stringify(about), 'hex')
}

/** In octal digits, or as a binary number if it is large. */
function numberIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return field.readUInt32BE(4)
  return Number.parseInt(field.toString('latin1'), 8) || 0
}
