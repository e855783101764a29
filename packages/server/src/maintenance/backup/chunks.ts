import { createReadStream } from 'node:fs'
import { pipeline, Readable, type Transform } from 'node:stream'

export function chunksOf(path: string): AsyncIterable<Buffer> {
  return createReadStream(path) as AsyncIterable<Buffer> // without an encoding it gives bytes
}

/** The output of a transform stream. Errors of its input are passed on to the reader as well. */
export function through(chunks: AsyncIterable<Buffer>, transform: Transform): AsyncIterable<Buffer> {
  pipeline(Readable.from(chunks), transform, () => undefined) // the error is in `transform` too
  return transform as AsyncIterable<Buffer> // zlib gives bytes
}
