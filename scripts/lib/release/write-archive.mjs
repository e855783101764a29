import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { END_OF_ARCHIVE, headerOf, paddingFor } from '../../../packages/server/src/engine/build/tar.ts'
import { contentsOf } from './release-files.mjs'

const byPath = (a, b) => (a.path < b.path ? -1 : 1)

function* entries(files, { folder, mtimeSeconds, onBytes }) {
  const sums = []
  const entry = function* (path, mode, contents) {
    onBytes(contents.length)
    yield headerOf({ path: `${folder}/${path}`, kind: 'file', mode, size: contents.length, mtimeSeconds })
    yield contents
    yield paddingFor(contents.length)
  }
  for (const file of files.toSorted(byPath)) {
    const contents = contentsOf(file)
    sums.push(`${createHash('sha256').update(contents).digest('hex')}  ${file.path}`)
    yield* entry(file.path, file.mode, contents)
  }
  yield* entry('SHA256SUMS', 0o644, Buffer.from(`${sums.join('\n')}\n`))
  yield END_OF_ARCHIVE
}

/** The same files give the same bytes: sorted, without owners, at the time of the commit; gzip writes no time and no name. */
export async function writeArchive(files, { target, folder, mtimeSeconds, level = 9 }) {
  const hash = createHash('sha256')
  let unpackedBytes = 0
  const onBytes = (count) => (unpackedBytes += count)
  const packed = Readable.from(entries(files, { folder, mtimeSeconds, onBytes })).pipe(createGzip({ level }))
  packed.on('data', (chunk) => hash.update(chunk))
  await pipeline(packed, createWriteStream(target))
  return { bytes: (await stat(target)).size, sha256: hash.digest('hex'), unpackedBytes }
}
