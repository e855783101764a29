import { BLOCK, END_OF_ARCHIVE, paddingFor, paxHeader } from './tar.ts'
import {
  createBytes,
  HARD_LINK,
  headerContents,
  LONG_NAMES,
  nameIn,
  PAX,
  PAX_OF_ALL,
  recordsIn,
  sizeIn,
  upToZero,
  WITHOUT_CONTENTS,
} from './tar-bytes.ts'

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
  let records = new Map<string, Buffer>()
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
