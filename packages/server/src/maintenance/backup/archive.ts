import { createHash } from 'node:crypto'
import { END_OF_ARCHIVE, headerOf, paddingFor } from '../../engine/build/tar.ts'

/** A file on its way into an archive, or out of one. Its contents are read once, before the next file. */
export type ArchivedFile = { readonly path: string; readonly size: number; readonly contents: AsyncIterable<Buffer> }
export type FileSum = { readonly path: string; readonly size: number; readonly sha256: string }

/** Writes a tar archive. The manifest comes last, because it holds the sums of all other files: an archive that was cut off has none. */
export async function* writeArchive(
  files: AsyncIterable<ArchivedFile>,
  manifestOf: (sums: readonly FileSum[]) => ArchivedFile,
): AsyncGenerator<Buffer> {
  const sums: FileSum[] = []
  for await (const file of files) {
    const hash = createHash('sha256')
    yield* entry(file, (chunk) => hash.update(chunk))
    sums.push({ path: file.path, size: file.size, sha256: hash.digest('hex') })
  }
  yield* entry(manifestOf(sums), () => undefined)
  yield END_OF_ARCHIVE
}

async function* entry({ path, size, contents }: ArchivedFile, onChunk: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  yield headerOf({ path, kind: 'file', mode: 0o600, size, mtimeSeconds: 0 })
  let written = 0
  for await (const chunk of contents) {
    onChunk(chunk)
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
