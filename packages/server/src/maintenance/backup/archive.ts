import { createHash } from 'node:crypto'
import { END_OF_ARCHIVE, headerOf, paddingFor } from '../../engine/build/tar.ts'

/** A file on its way into an archive, or out of one. Its contents are read once, before the next file. */
export type ArchivedFile = { readonly path: string; readonly size: number; readonly contents: AsyncIterable<Buffer> }
/** The number of files, and a checksum of their paths, sizes and contents in order. */
export type ArchiveSum = { readonly files: number; readonly sha256: string }

/** Computes the count and the checksum of an archive, file by file. */
export function createArchiveSum() {
  const hash = createHash('sha256')
  let files = 0
  return {
    /** Passes the contents on. */
    async *add({ path, size }: Pick<ArchivedFile, 'path' | 'size'>, contents: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      files += 1
      hash.update(`${path}\0${size}\0`)
      for await (const chunk of contents) {
        hash.update(chunk)
        yield chunk
      }
    },
    end: (): ArchiveSum => ({ files, sha256: hash.digest('hex') }),
  }
}

/** Writes a tar archive. The manifest comes last, because it contains the checksum of all other files: a truncated archive has none. */
export async function* writeArchive(
  files: AsyncIterable<ArchivedFile>,
  manifestOf: (sum: ArchiveSum) => ArchivedFile,
): AsyncGenerator<Buffer> {
  const sum = createArchiveSum()
  for await (const file of files) yield* entry({ ...file, contents: sum.add(file, file.contents) })
  yield* entry(manifestOf(sum.end()))
  yield END_OF_ARCHIVE
}

async function* entry({ path, size, contents }: ArchivedFile): AsyncGenerator<Buffer> {
  yield headerOf({ path, kind: 'file', mode: 0o600, size, mtimeSeconds: 0 })
  let written = 0
  for await (const chunk of contents) {
    written += chunk.length
    yield chunk
  }
  if (written !== size) throw new Error(`${path} became shorter while it was read`)
  yield paddingFor(size)
}

export function textFile(path: string, text: string): ArchivedFile {
  const bytes = Buffer.from(text)
  return { path, size: bytes.length, contents: only(bytes) }
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
