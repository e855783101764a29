import { appendFile, open, stat, truncate } from 'node:fs/promises'

const MAX_BYTES = 32 * 1024 * 1024
const KEPT_BYTES = 1024 * 1024

/** The log of an engine that Berth started is a plain file, and what a registry answers is in it. Keeps its end once it is long. */
export async function limitEngineLog(file: string): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0, // an engine that others started has none
  )
  if (size <= MAX_BYTES) return
  const end = Buffer.alloc(KEPT_BYTES)
  await using handle = await open(file, 'r')
  await handle.read(end, 0, KEPT_BYTES, size - KEPT_BYTES)
  await truncate(file, 0) // the engine appends to it: its next line is at the new end
  await appendFile(file, end.subarray(end.indexOf(10) + 1))
}
