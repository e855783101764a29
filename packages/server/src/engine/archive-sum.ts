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
const [FILE, DIRECTORY] = ['0', '5']
/** At least as much of a disk is taken by every entry, and files take whole blocks of it. */
const DISK_BLOCK = 4096
const OCTAL = /^ *[0-7]{1,11}[ \0]*$/
const DIGITS = /^\d{1,15}$/
/** A few bytes of them unpack to a file of any size. */
const SPARSE = 'GNU.sparse.'
/** Attributes of a file, such as its capabilities. Other records differ between versions of the engine. */
const ATTRIBUTE = 'SCHILY.xattr.'

/**
 * Passes an archive on, and tells at its end what was in it. An archive that ends too early is an error. So is one with more than may be
 * written; it fails before the entry that does not fit, since the hole of a sparse file would arrive as a stream of zeros.
 */
export async function* summed(
  chunks: AsyncIterable<Buffer>,
  atEnd: (sum: ArchiveSum) => void,
  mostBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]()
  const { pieces, take } = createBytes(source)
  const all = createHash('sha256')
  const extended = createExtended()
  let [files, bytes, room] = [0, 0, 0]
  try {
    for (;;) {
      const header = await take(BLOCK)
      if (header.every((byte) => byte === 0)) break
      const type = typeOf(header)
      if (isExtended(type)) {
        extended.begin(type)
        const contents = await headerContents(take, sizeIn(header))
        extended.add(type, contents)
        yield Buffer.concat([header, contents, paddingFor(contents.length)])
        continue
      }
      const before = extended.end()
      const size = WITHOUT_CONTENTS.test(type) ? 0 : sizeOf(header, before.records)
      room += before.bytes + Math.ceil(Math.max(size, 1) / DISK_BLOCK) * DISK_BLOCK
      if (room > mostBytes) throw new EngineError(500, 'There is no space left for the copy.')
      yield header
      all.update(aboutEntry(header, before.records, type))
      if (type !== DIRECTORY) files += 1
      yield* noted(pieces(size), all)
      bytes += size
      yield* pieces(paddingFor(size).length)
    }
    yield Buffer.alloc(2 * BLOCK) // an archive ends with two empty blocks; anything after them is ignored
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

type Records = ReadonlyMap<string, Buffer>

/**
 * What extended headers say about the entry after them. An engine writes one of each kind at most. With more, or in another order, an archive
 * could say one thing to Berth and another to the engine that unpacks it.
 */
function createExtended() {
  const types = new Set<string>()
  let records = new Map<string, Buffer>()
  let bytes = 0

  function begin(type: string): void {
    if (types.has(type) || (type === PAX_OF_ALL && types.size > 0)) throw notOfDocker('too many extended headers')
    types.add(type)
  }

  function add(type: string, contents: Buffer): void {
    bytes += contents.length
    const longName = LONG_NAMES[type]
    if (longName !== undefined) records.set(longName, upToZero(contents))
    if (type !== PAX) return
    for (const [name, value] of recordsIn(contents)) {
      if (name.startsWith(SPARSE)) throw notOfDocker('a sparse file')
      records.set(name, value)
    }
  }

  function end(): { records: Records; bytes: number } {
    const found = { records, bytes }
    types.clear()
    records = new Map()
    bytes = 0
    return found
  }

  return { begin, add, end }
}

function isExtended(type: string): boolean {
  return type === PAX || type === PAX_OF_ALL || LONG_NAMES[type] !== undefined
}

function typeOf(header: Buffer): string {
  const type = String.fromCodePoint(header[156] ?? 0)
  if (type !== FILE && !WITHOUT_CONTENTS.test(type) && !isExtended(type)) throw notOfDocker(`an entry of the type ${JSON.stringify(type)}`)
  const size = header.subarray(124, 136)
  if (((size[0] ?? 0) & 0x80) === 0 && !OCTAL.test(size.toString('latin1'))) throw notOfDocker('a size that is not a number')
  return type
}

function sizeOf(header: Buffer, records: Records): number {
  const record = records.get('size')?.toString('latin1')
  if (record !== undefined && !DIGITS.test(record)) throw notOfDocker('a size that is not a number')
  return record === undefined ? sizeIn(header) : Number(record)
}

/** Such an archive comes from a server whose agent or engine is not the one that Berth knows. */
function notOfDocker(found: string): EngineError {
  return new EngineError(500, `The archive of the volume is not as Docker writes them: it has ${found}. Check the server that it is on.`)
}

function aboutEntry(header: Buffer, records: Records, type: string): string {
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
