import { BLOCK, paddingFor } from './tar.ts'
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

const SYMLINK = '2'
const FILES = ['0', '\0', '7']

export type ReadEntry =
  | { readonly kind: 'file'; readonly path: string; readonly size: number; readonly contents: AsyncIterable<Buffer> }
  | { readonly kind: 'symlink' | 'hardlink'; readonly path: string; readonly target: string }

/** The files and links of an archive, one after another. Contents are read whole, or not at all. */
export async function* tarEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const source = chunks[Symbol.asyncIterator]()
  const { pieces, take } = createBytes(source)
  let records = new Map<string, Buffer>()
  try {
    for (;;) {
      const header = await take(BLOCK)
      if (header.every((byte) => byte === 0)) return
      const type = String.fromCodePoint(header[156] ?? 0)
      const longName = LONG_NAMES[type]
      if (type === PAX || type === PAX_OF_ALL || longName !== undefined) {
        const contents = await headerContents(take, sizeIn(header))
        const more: Iterable<[string, Buffer]> = longName === undefined ? recordsIn(contents) : [[longName, upToZero(contents)]]
        records = new Map([...records, ...(type === PAX_OF_ALL ? [] : more)])
        continue
      }
      const path = (records.get('path') ?? nameIn(header)).toString()
      const target = (records.get('linkpath') ?? upToZero(header.subarray(157, 257))).toString()
      const size = WITHOUT_CONTENTS.test(type) ? 0 : Number(records.get('size') ?? sizeIn(header))
      records = new Map()
      const contents = pieces(size)
      if (type === SYMLINK) yield { kind: 'symlink', path, target }
      if (type === HARD_LINK) yield { kind: 'hardlink', path, target }
      if (FILES.includes(type)) yield { kind: 'file', path, size, contents }
      for await (const _ of contents) void _
      await take(paddingFor(size).length)
    }
  } finally {
    await source.return?.()
  }
}
